# The classification of a LAS file stays as truth, as the label of other formats does; one that
# nobody gave is none.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
"$GELATTO" convert rooms/Area_1/office_1.ply a.ply --subsample 2000 -q
"$GELATTO" convert a.ply a.las -q
"$GELATTO" predict -q m.safetensors a.ply -o ply.csv > table
"$GELATTO" predict -q m.safetensors a.las -o las.csv > table
"$GELATTO" predict -q m.safetensors a.las -o out.las > table
"$GELATTO" info out.las | grep -c '^  truth '
"$GELATTO" convert out.las out.csv -q
column() { awk -F, -v name="$1" 'NR == 1 {for (k = 1; k < NF && $k != name; k++) {}} {print $k}' "$2"; }
cmp <(column truth ply.csv) <(column truth las.csv) && echo same
cmp <(column truth ply.csv) <(column truth out.csv) && echo same
printf 'x y z red green blue\n0 0 0 9 9 9\n1 0 0 250 9 9\n0 1 0 9 9 9\n' > b.txt
"$GELATTO" convert b.txt b.las -q
"$GELATTO" predict -q m.safetensors b.las -o b.csv > table
head -n 1 b.csv
# reports and images then use it as the label too, with the names of its classes
"$GELATTO" report -q out.las -o out.html
grep -o '</span>floor</td>\|<figcaption>.*</figcaption>' out.html
"$GELATTO" render out.las --colours label -W 200 -H 200 -o label.png
"$GELATTO" render out.las --colours classification -W 200 -H 200 -o classification.png
"$GELATTO" render out.las --colours label -W 200 -H 200 --no-legend -o bare.png
cmp label.png classification.png && echo same
cmp -s label.png bare.png || echo legend
"$GELATTO" render a.las -a a.las --colours truth -W 200 -H 200 -o truth.png
"$GELATTO" report b.las -o b.html 2>&1 || true
