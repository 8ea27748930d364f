# A model from a short training, scored by name on held-out rooms and on one cloud; the same numbers
# with any number of threads; a model of other classes is refused.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
data='synth:rooms rooms=1 points=1100'
"$GELATTO" train "$data" "${small[@]}" --steps 2
model=runs/train1/best.safetensors
"$GELATTO" eval $model "$data" -o a --threads 1 --quiet > a.txt
"$GELATTO" eval $model "$data" -o b --threads 3 --quiet > b.txt
cmp a.txt b.txt && cmp a/confusion.csv b/confusion.csv && echo same
head -n 2 a.txt | cut -c 1-24
tail -n 1 a.txt
ls a
"$GELATTO" eval $model "$data" --seeds 2 --json --quiet | grep -o '"seeds":[0-9]*'
"$GELATTO" synth rooms -o rooms --rooms 1 --points 1100 --quiet
"$GELATTO" eval $model rooms/Area_5/office_1.ply --quiet | tail -n 1
# a predicted cloud is scored by its truth; without one it is refused, not compared with itself
"$GELATTO" predict -q $model rooms/Area_5/office_1.ply -o p.ply > table
cmp <("$GELATTO" eval -q $model rooms/Area_5/office_1.ply | head -n 14) \
    <("$GELATTO" eval -q $model p.ply | head -n 14) && echo 'the same by truth'
"$GELATTO" convert -q p.ply p.csv
awk -F, 'NR == 1 {for (k = 1; k <= NF && $k != "truth"; k++) {}} {$k = ""; print}' p.csv | tr -s ' ' > p.txt
"$GELATTO" eval -q $model p.txt 2>&1 || true
cp -r rooms folder && rm folder/Area_5/* && cp p.txt folder/Area_5/office_1.txt
"$GELATTO" eval -q $model folder 2>&1 || true
# a single cloud is detected by its content, and a wrong list is reported as such
cp rooms/Area_5/office_1.ply cloud.dat
"$GELATTO" eval -q $model cloud.dat | tail -n 1
"$GELATTO" eval -q $model cloud.dat --split val 2>&1 || true
printf 'path: rooms\ntest: nothing*.ply\nnames: [a, b]\n' > bad.yaml
"$GELATTO" eval -q $model bad.yaml 2>&1 || true
# the cache folder does not concern the model; options it does not use are reported
"$GELATTO" train rooms "${small[@]}" --steps 1 --name kept --set cache=kept
rm -r kept
"$GELATTO" eval -q runs/kept1/best.safetensors rooms > kept.txt
[ -e kept ] || echo 'nothing is cached'
"$GELATTO" eval -q $model folder --set cache=kept --set k=7 2>&1 | head -n 1
"$GELATTO" check folder --set cache=kept --quiet > kept.txt || true
"$GELATTO" eval -q $model folder --set cache=kept 2>&1 || true
head -n 14 a.txt > a.table
"$GELATTO" eval $model rooms --quiet | head -n 14 | cmp - a.table && echo 'the same from files'
"$GELATTO" synth shapes -o shapes --shapes 2 --points 200 --quiet
"$GELATTO" eval $model shapes/shapes.yaml --quiet 2>&1 || true
mkdir only && cp -r rooms/Area_1 only/
"$GELATTO" eval $model only --quiet 2>&1 || true
"$GELATTO" check only 2>&1 | grep 'or val'
cp -r rooms/Area_2 only/
"$GELATTO" eval $model only --quiet 2>&1 > only.txt
"$GELATTO" check only | grep 'would be'
grep -c '<rect' a/confusion.svg
"$GELATTO" eval $model "$data" --json --quiet | wc -l
