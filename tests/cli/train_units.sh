# Rooms in millimetres: the training says that its blocks are empty, before it spends hours on them.
"$GELATTO" synth rooms -o r --rooms 1 --points 2000 -q
mkdir set
"$GELATTO" convert -q r/Area_1/office_1.ply set/a.ply --scale 1000
printf 'path: set\ntrain: a.ply\nnames: [ceiling, floor, wall, beam, column, window, door, table, chair, sofa, bookcase, board, clutter]\n' > set.yaml
"$GELATTO" train set.yaml --preset tiny --steps 1 2>&1 > out | grep -o 'tiles of edge 2 hold.*'
cp r/Area_1/office_1.ply set/a.ply
"$GELATTO" train set.yaml --preset tiny --set points=512 --steps 1 2>&1 > out | grep 'hold about' || echo quiet
