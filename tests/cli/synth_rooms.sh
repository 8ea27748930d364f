# Six areas, one PLY per room; the same seed gives the same bytes with any number of threads.
"$GELATTO" synth rooms -o a --rooms 2 --points 3000 --quiet --threads 1
"$GELATTO" synth rooms -o b --rooms 2 --points 3000 --quiet --threads 3
diff -r a b && echo same
"$GELATTO" synth rooms -o c --rooms 1 --points 3000 --seed 2 --quiet
cmp -s a/Area_1/office_1.ply c/Area_1/office_1.ply || echo other
find a -type f | sort
