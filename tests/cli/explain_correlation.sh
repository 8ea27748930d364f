# Attention against distance: a table of levels, blocks and heads, the same with any number of
# threads, several clouds taken together, no trace left behind.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
export TMPDIR=$PWD/temporary
mkdir temporary
room=rooms/Area_1/office_1.ply
other=rooms/Area_2/office_1.ply
"$GELATTO" explain m.safetensors $room --correlation -q -t 1 > a
"$GELATTO" explain m.safetensors $room --correlation -q -t 3 > b
cmp a b && echo same
cut -c 1-21 a
awk 'NR > 1 && ($5 < -1 || $5 > 1 || $6 < 0 || $6 > 1 || $7 < -1 || $7 > 1)' a
"$GELATTO" explain m.safetensors $other --correlation -q > b
"$GELATTO" explain m.safetensors $room $other --correlation -q > both
paste a b both | awk 'NR > 1 {if ($4 + $11 != $18) print "not both:", $0}'
paste a b both | awk 'NR > 1 {d = ($4 * $5 + $11 * $12) / $18 - $19; if (d * d > 1e-6) print "not the mean:", $0}'
"$GELATTO" explain m.safetensors $room --correlation --json -q -o t.safetensors > json
ls temporary t.safetensors
head -n 1 json | cut -c 1-44
grep -c '"by_channel": ' json
code() { "$GELATTO" explain -q "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code m.safetensors $room -o t.safetensors --json
code m.safetensors $room $other -o t.safetensors
code m.safetensors $room $other --correlation --image a.png
code m.safetensors $room missing.ply --correlation
printf '0 0 0\n1 0 0\n' > bare.xyz
code m.safetensors $room bare.xyz --correlation
ls temporary
