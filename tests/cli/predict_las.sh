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
# LAS has numbers that no program takes for those of the ASPRS
cmp <(column truth ply.csv) <(column truth out.csv | awk 'NR > 1 && $1 < 255 {$1 -= 64} {print}') && echo same
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
# numbers by choice, points without a label, and a classification that stays
"$GELATTO" predict -q m.safetensors a.las -o mapped.las --map box:6 > table
"$GELATTO" info mapped.las | sed -n '/^classification/,$p' | sed /^provenance/,\$d | awk '{print $1, $2}'
"$GELATTO" predict -q m.safetensors a.las -o sure.las --min-confidence 0.9 > table
tail -n 1 table | grep -o '(no label)'
"$GELATTO" info sure.las | grep -c '^ *1 unclassified '
"$GELATTO" predict -q m.safetensors a.las -o kept.las --keep-classification > table
"$GELATTO" convert -q kept.las kept.csv 2> log
"$GELATTO" convert -q a.las a.csv 2> log
cmp <(column classification a.csv) <(column classification kept.csv) && echo same
"$GELATTO" convert -q kept.las again.las # it stays the classification
"$GELATTO" convert -q again.las again.csv 2> log
cmp <(column classification a.csv) <(column classification again.csv) && echo same again
"$GELATTO" info kept.las | sed -n '/^label/,$p' | sed /^provenance/,\$d | awk '{print $1, $2}'
for map in floor floor:255 roof:2 floor:2,box:2; do
    "$GELATTO" predict -q m.safetensors a.las -o bad.las --map $map 2>&1 || true
done
ls bad.las 2> log || echo 'no output'
mkdir some
cp a.las some/a.las
cp a.las some/b.las
echo text > some/c.las
"$GELATTO" predict m.safetensors some -o labelled 2> err > table || echo "exit $?"
grep -v samples err
