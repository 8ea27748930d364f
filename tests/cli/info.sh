printf '# class 3 wall\n# x y z label\n0 0 0 3\n1 0 0 3\n0 1 0 0\n' > a.txt
"$GELATTO" info a.txt
"$GELATTO" info --json a.txt
"$GELATTO" info --json a.txt a.txt | wc -l
"$GELATTO" info missing.ply && exit 1
exit 0
