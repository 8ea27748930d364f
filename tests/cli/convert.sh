# From text through every format that is written, and back to the same text.
printf 'x,y,z,red,green,blue,label\n0.5,1,2,10,20,30,4\n-7.25,8,9,255,0,1,5\n' > a.csv
for to in b.ply c.pcd d.npy e.npz f.las g.csv; do
    "$GELATTO" convert ${from:-a.csv} $to --quiet
    from=$to
done
cut -d, -f1-3 g.csv
# LAS coordinates are whole steps of 1e-8, so the points are the same to the last digit here
"$GELATTO" convert a.csv h.ply -e ascii --map 4:0,5:1 --shift 100,0,0 --crop 0,0,0,9,9,9 -q
tail -n 2 h.ply
# names of classes are kept, or a warning says that they are not
printf 'ply\nformat ascii 1.0\ncomment class 4 chair\nelement vertex 1\nproperty float x\nproperty float y
property float z\nproperty uchar label\nend_header\n0 0 0 4\n' > n.ply
"$GELATTO" convert n.ply n.npz -q
"$GELATTO" convert n.npz m.ply -q
grep -a class m.ply
"$GELATTO" info n.npz | grep -c chair
"$GELATTO" convert n.ply n.npy -q 2>&1
# y up: turned, then scaled
"$GELATTO" convert a.csv i.csv --up y --scale 0.5 -q
cut -d, -f1-3 i.csv
"$GELATTO" convert a.csv i.csv --scale 1,1,0.001 -q
cut -d, -f1-3 i.csv
"$GELATTO" convert a.csv i.csv --scale 1,2 2>&1 | head -n 1
"$GELATTO" convert a.csv i.csv --scale 0 2>&1 | head -n 1
"$GELATTO" convert a.csv none.ply --crop 900,900,900,901,901,901 2>&1 | grep -o 'crop leaves no point: the cloud reaches from .* to .*'
# names for what has names are not used, and that is said
"$GELATTO" convert n.ply j.txt --columns a,b,c,d -q 2>&1
# names with blanks are renamed like others
"$GELATTO" convert a.csv k.npz --rename 'label:my own label' -q
"$GELATTO" convert k.npz k.csv --rename 'my own label:label' -q
cmp k.csv a.csv || cat k.csv
