# Panels, turntable frames, and a failure that leaves no file.
"$GELATTO" synth rooms -o a --rooms 1 --points 2000 --quiet
"$GELATTO" render a/Area_1/office_1.ply --colours rgb,label -W 100 -H 80 -o one.png
"$GELATTO" render a/Area_1/office_1.ply -a a/Area_1/office_1.ply --colours rgb,truth,label,error -W 100 -H 80 -o four.png
"$GELATTO" render a/Area_1/office_1.ply --orthographic --elevation 90 --turntable 3 -W 64 -H 64 -o turn.png --quiet
"$GELATTO" render a/Area_1/office_1.ply --colours nothing -o bad.png || true
"$GELATTO" render a/Area_1/office_1.ply -o 'x.png' --colours 'a b' || true
"$GELATTO" render missing.ply -o bad.png 2>/dev/null || echo failed
"$GELATTO" render a/Area_1/office_1.ply -o x.jpg || echo $?
"$GELATTO" explain m a.ply --image x.jpg || echo $?
ls *.png
if [ -e x.jpg ]; then exit 1; fi
# an axis that points up is as good as a cloud turned so
for up in x y z; do
    "$GELATTO" convert -q a/Area_1/office_1.ply turned.ply --up $up
    "$GELATTO" render turned.ply -W 64 -H 64 -o turned.png
    "$GELATTO" render a/Area_1/office_1.ply --up $up -W 64 -H 64 -o up.png
    cmp turned.png up.png && echo same
    cp up.png up_$up.png
done
cmp -s up_y.png up_z.png || echo other
