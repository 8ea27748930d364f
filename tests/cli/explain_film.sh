# The frames of a film, the same bytes again, and the line that joins them.
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
