# Labels without labels in the file; all points, attributes and formats; folders and patterns.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
mkdir in
"$GELATTO" convert rooms/Area_1/office_1.ply in/a.ply -q
"$GELATTO" convert rooms/Area_2/office_1.ply in/b.ply -q
"$GELATTO" predict -q m.safetensors in/a.ply -o a.ply | head -n 1
"$GELATTO" predict -q --csv m.safetensors in -o out/ | cut -d, -f 1
"$GELATTO" predict -q --csv m.safetensors 'in/*.ply' -o again -t 1 | cut -d, -f 1
cmp a.ply out/a.ply && cmp out/b.ply again/b.ply && echo same
"$GELATTO" predict -q m.safetensors in/a.ply -o in/a.ply --overwrite --second --margin --votes \
    --probabilities --overlap 1 --max-memory 1G > table
"$GELATTO" info in/a.ply | sed -n 's/^  \([a-z_]*\) .*/\1/p' | paste -sd' '
# labels of a thinned cloud, carried to all points
"$GELATTO" predict -q --json m.safetensors in/b.ply -o thin.ply --spacing 0.3 | grep -o '"points": [0-9]*'
head -c 2000 thin.ply | grep -a -o 'options .*'
