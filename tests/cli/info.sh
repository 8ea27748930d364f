printf '# class 3 wall\n# x y z label\n0 0 0 3\n1 0 0 3\n0 1 0 0\n' > a.txt
"$GELATTO" info a.txt
"$GELATTO" info --json a.txt
"$GELATTO" info --json a.txt a.txt | wc -l
"$GELATTO" info missing.ply && exit 1
# a file that fails leaves a list that is JSON
"$GELATTO" info --json a.txt missing.ply && exit 1
"$GELATTO" info --json missing.ply a.txt a.txt | cut -c 1-20
"$GELATTO" info --json missing.ply missing.ply && exit 1
"$GELATTO" info a.txt missing.ply a.txt | grep '^a.txt\|^$'
# so does a name that is not UTF-8
printf 'ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n' > b.ply
printf 'property float z\nproperty float caf\351\nend_header\n1 2 3 4\n' >> b.ply
"$GELATTO" info --json b.ply
exit 0
