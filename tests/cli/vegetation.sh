# Vegetation by height: the classes of a model, with vegetation divided by the height above predicted ground.
small=(--set points=512 --set block_min=16 --set block=20 --set radius=2 --set levels=64 --set k=6 --set stem=8
    --set width=8 --set decoder=8 --set head_hidden=8 --set inputs=xyz --set epochs=50 --set lr=1e-2 --set floor=tile
    --set label_smoothing=0 --quiet)
"$GELATTO" train "synth:aerial scenes=1 size=60 density=2 seed=1" "${small[@]}" --steps 100 --name land
"$GELATTO" synth aerial -o scenes --scenes 1 --size 60 --density 2 --seed 5 --format las --quiet
scene=$(find scenes -name '*.las' | sort | head -n 1)
"$GELATTO" predict runs/land1 "$scene" -o plain.las --csv -q > plain.csv
"$GELATTO" predict runs/land1 "$scene" -o heights.las --vegetation-heights 0.5,2 --csv -q > heights.csv
head -n 1 heights.csv
paste -d, plain.csv heights.csv | awk -F, 'NR == 2 {
    print "the others stay:", ($2 == $7 && $4 == $9 && $5 == $10)
    print "the parts add up:", ($3 == $8 + $11 + $12), "and there are some of each:", ($8 * $11 * $12 > 0) }'
"$GELATTO" info heights.las | grep -v building | sed -n '/^classification$/,/^[a-z]/s/^ *\([0-9]* [a-z ]*[a-z]\) .*/\1/p'
for heights in 2,1 x; do
    "$GELATTO" predict runs/land1 "$scene" -o out.las --vegetation-heights $heights -q 2>&1 | head -n 1
done
"$GELATTO" train "synth:rooms rooms=1 points=1100" "${small[@]}" --set block=2 --set floor=scene --steps 1 --name rooms
"$GELATTO" predict runs/rooms1 "$scene" -o out.las --vegetation-heights 1,2 -q 2>&1 | grep -o 'need a model with .*'
# The truth survives a second prediction, with the option or without it, and counts in an evaluation.
truth() { "$GELATTO" convert -q "$1" t.csv 2> log && grep -v '^#' t.csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "truth") c = i } { print $c }'; }
"$GELATTO" predict runs/land1 "$scene" -o first.ply --vegetation-heights 0.5,2 -q > table
"$GELATTO" predict runs/land1 first.ply -o second.ply --vegetation-heights 0.5,2 -q > table
"$GELATTO" predict runs/land1 "$scene" -o plain.ply -q > table
"$GELATTO" predict runs/land1 first.ply -o third.ply -q > table
truth first.ply > a && truth second.ply | cmp - a && echo 'the same truth'
truth plain.ply > a && truth third.ply | cmp - a && echo 'that of the model'
grep -vc 255 a
"$GELATTO" eval runs/land1 first.ply -q | grep -c vegetation
