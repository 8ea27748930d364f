# How attention spreads: a table of levels, blocks and heads, the same with any number of threads,
# several clouds taken together.
"$GELATTO" synth rooms -o rooms --rooms 1 --points 60000 -q
room=rooms/Area_1/office_1.ply
other=rooms/Area_2/office_1.ply
"$GELATTO" explain rooms $room --statistics -q -t 1 > a
"$GELATTO" explain rooms $room --statistics -q -t 3 > b
cmp a b && echo same
cut -c 1-21 a | head -n 3
awk 'NR > 1 && ($5 < 0 || $5 > 1 || $6 < 0 || $6 > 1)' a
"$GELATTO" explain rooms $other --statistics -q > b
"$GELATTO" explain rooms $room $other --statistics -q > both
paste a b both | awk 'NR > 1 {if ($4 + $10 != $16) print "not both:", $0}'
paste a b both | awk 'NR > 1 {d = ($4 * $5 + $10 * $11) / $16 - $17; if (d * d > 1e-6) print "not the mean:", $0}'
"$GELATTO" explain rooms $room --statistics --json -q > json
head -n 1 json | cut -c 1-44
grep -c '"saturation": ' json
code() { "$GELATTO" explain -q "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code rooms $room --statistics --correlation
