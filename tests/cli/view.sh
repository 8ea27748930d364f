# One page with everything in it, the same bytes again, and what is refused.
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
room=rooms/Area_1/office_1.ply
"$GELATTO" view -q $room -o a.html
"$GELATTO" view -q $room -o b.html -t 1
cmp a.html b.html && echo same
"$GELATTO" view $room $room --points 100 --title 'A <b>' --classes 'x,y' --attributes red -o c.html 2>&1
grep -o '<title>.*</title>' c.html
grep -o '"shown":[0-9]*' c.html
grep -cE '(src|href)="' c.html || true
code() { "$GELATTO" view "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code $room
code $room -o $room
code $room --attributes nothing -o d.html
code $room -o d.png
code none.ply -o d.html
code $room --points 0 -o d.html
code $room --rows 3 -o d.html
code $room --explain rooms --rows 3,x -o d.html
code $room --explain nowhere -o d.html
ls d.html 2> /dev/null || echo none
