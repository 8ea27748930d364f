# Numbers of LAS have the names and colours of the ASPRS in info, images, reports and the viewer;
# names that the file itself has stand before them.
awk 'BEGIN { print "x,y,z,classification"; n = split("2 2 2 5 6 9 12 70", k, " ")
    for (i = 0; i < 400; i++) printf "%d,%d,%d,%d\n", i % 20, i / 20, i % 3, k[i % n + 1] }' > a.csv
"$GELATTO" convert a.csv a.las -q
"$GELATTO" convert a.csv a.laz -q
for cloud in a.las a.laz; do
    "$GELATTO" info $cloud | sed -n '/^format/p; /^classification/,$p'
done
"$GELATTO" info --json a.las | grep -o '"name":"ground","colour":\[[0-9,]*\]'
"$GELATTO" report a.las -o a.html -q > /dev/null
grep -o '#aa5500"></span>ground' a.html
grep -o '#55ffff"></span>water' a.html
grep -o '></span>class 70' a.html
"$GELATTO" view a.las -o v.html -q > /dev/null
grep -o '"name":"high vegetation","colour":\[0,170,0\]' v.html
# a name of the file, in its lookup record
printf 'ply\nformat ascii 1.0\ncomment class 2 lawn\ncomment class 6 building\nelement vertex 2\nproperty float x
property float y\nproperty float z\nproperty uchar classification\nend_header\n0 0 0 2\n1 1 1 6\n' > n.ply
"$GELATTO" report n.ply -o n.html -q > /dev/null
grep -o '></span>lawn' n.html
grep -o '#ff5555"></span>building' n.html
