# predict reads a part of a COPC file with --box, and what is whole of a damaged file with --salvage.
model=$GELATTO_SOURCE/models/rooms.safetensors
cp "$GELATTO_SOURCE/tests/fuzz/corpus/copc/levels_2" tiles.copc.laz
points() { "$GELATTO" info "$@" 2> /dev/null | awk '/^points/ {print $2}'; }
points tiles.copc.laz
points tiles.copc.laz --box 0,0,600,600
"$GELATTO" predict "$model" tiles.copc.laz -o part.laz --box 0,0,600,600 2> err > table
grep -o 'the box meets [0-9]* nodes: [0-9]* of [0-9]* bytes' err
points part.laz
"$GELATTO" info part.laz | grep -c -E 'confidence|classification  '
# the same points get the same labels if they are cut out beforehand
"$GELATTO" convert tiles.copc.laz cut.laz --box 0,0,600,600 -q 2> /dev/null
"$GELATTO" predict "$model" cut.laz -o again.laz -q > /dev/null 2>&1
for cloud in part again; do "$GELATTO" convert $cloud.laz $cloud.csv -q 2> /dev/null; done
cmp part.csv again.csv && echo same
# nothing in the box
"$GELATTO" predict "$model" tiles.copc.laz -o none.laz --box 9000,9000,9001,9001 -q 2>&1 | grep -o 'box leaves no point'
# a cut LAZ file: refused, then what is whole of it
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%.3f %.3f %.3f\n", i % 245 / 40, i % 239 / 40, i % 230 / 90 }' > a.xyz
"$GELATTO" convert a.xyz a.laz -q
head -c $(($(wc -c < a.laz) - 6000)) a.laz > cut.laz
"$GELATTO" predict "$model" cut.laz -o whole.laz -q 2>&1 > /dev/null | grep -o -E 'chunk [0-9]|^hint.*'
[ ! -e whole.laz ] && echo none
"$GELATTO" predict "$model" cut.laz -o whole.laz --salvage -q 2>&1 > /dev/null | grep -o '[0-9]* of [0-9]* points are lost'
points whole.laz
# of a damaged COPC file too
head -c $(($(wc -c < tiles.copc.laz) * 3 / 4)) tiles.copc.laz > cut.copc.laz
"$GELATTO" predict "$model" cut.copc.laz -o c.laz -q > /dev/null 2>&1 || echo refused
"$GELATTO" predict "$model" cut.copc.laz -o c.laz --salvage --box 0,0,600,600 -q 2>&1 > /dev/null | grep -o -E '[0-9]* of [0-9]* points are lost|cannot.*'
points c.laz
