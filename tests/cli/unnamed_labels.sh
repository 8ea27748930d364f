# Numbers without names: those of LAS are nobody's classes, not even by chance the model's; those of other
# formats are taken as they are, and a message says so.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
"$GELATTO" convert rooms/Area_1/office_1.ply named.las --subsample 2000 -q
"$GELATTO" convert rooms/Area_1/office_1.ply a.csv --subsample 2000 -q 2> log \
    --map 0:0,1:0,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1
"$GELATTO" convert a.csv a.las -q
tell() { "$GELATTO" "$@" 2>&1 > table | grep 'number\|name its' || echo nothing; }
tell predict m.safetensors named.las -o p.ply
tell predict m.safetensors a.csv -o p.ply
tell predict m.safetensors a.las -o p.ply
"$GELATTO" info p.ply | grep '^  truth ' || echo no ground truth
"$GELATTO" report -q p.ply -o p.html
grep mIoU p.html || echo no score
tell explain m.safetensors a.las -o a.trace
tell eval -q m.safetensors a.las
tell render p.ply -a a.las --colours error -o error.png
# what the messages say helps
printf 'test: a.las\nnames: [floor, box]\nmap: {1: floor, 0: box}\n' > a.yaml
"$GELATTO" eval -q m.safetensors a.yaml | tail -n 1
"$GELATTO" convert a.las b.ply -q --map 0:1,1:0
tell predict m.safetensors b.ply -o p.ply
cmp <("$GELATTO" eval -q m.safetensors a.yaml | head -n 5) <("$GELATTO" eval -q m.safetensors b.ply | head -n 5) && echo same
cmp <("$GELATTO" eval -q m.safetensors a.yaml | head -n 5) <("$GELATTO" eval -q m.safetensors p.ply | head -n 5) && echo same
# numbers of another dataset agree with some classes by accident: they are no ground truth
awk -F, 'BEGIN {OFS = ","} NR == 1 {for (k = 1; k < NF && $k != "label"; k++) {}} NR > 1 {$k = 10 * (NR % 6)} {print}' \
    a.csv > kitti.csv
"$GELATTO" predict m.safetensors kitti.csv -o k.ply 2>&1 > table | grep -E 'ground truth|^hint.*--map'
"$GELATTO" info k.ply | grep '^  truth \|^  original'
