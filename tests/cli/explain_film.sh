# The frames of a film, the same bytes again, and the line that joins them; or one animated PNG.
# labels: full
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
room=rooms/Area_1/office_1.ply
"$GELATTO" explain m.safetensors $room -q --point 5 --film film --frames 1
"$GELATTO" explain m.safetensors $room -q --point 5 --film again --frames 1 -t 1 > line
diff -r film again && echo same
ls film | wc -l
ls film | sed -n '1p;$p'
test ! -e film.trace
"$GELATTO" explain m.safetensors $room -q --point 5 --film film.png --frames 1 --fps 20
"$GELATTO" explain m.safetensors $room -q --point 5 --film again.png --frames 1 --fps 20 -t 1
cmp film.png again.png && grep -aoc acTL film.png
"$GELATTO" explain m.safetensors $room -q --film film.png --image film.png || echo $?
ls *.trace 2> /dev/null && exit 1
true
