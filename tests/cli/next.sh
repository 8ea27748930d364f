# Tiles in their order, as a table and as JSON; the page; reviewed tiles are not proposed again.
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
room=rooms/Area_1/office_1.ply
"$GELATTO" next rooms $room -q | head -n 1
"$GELATTO" next rooms $room --tiles 2 -o a.html -q | wc -l
"$GELATTO" next rooms $room --tiles 2 -o b.html -q -t 1 > /dev/null
cmp a.html b.html && echo same
"$GELATTO" next rooms $room --tiles 2 --json -q | python3 -c 'import json, sys; print([sorted(t) for t in json.load(sys.stdin)][0])'
grep -o '"next":\[' a.html
"$GELATTO" convert $room all.txt -q
awk '/^# x/ || /^x/ {print $0, "reviewed"; next} /^#/ {print; next} {print $0, 1}' all.txt > reviewed.txt
"$GELATTO" convert reviewed.txt reviewed.ply -q
"$GELATTO" next rooms reviewed.ply 2>&1 | grep "^no tile"
"$GELATTO" next rooms reviewed.ply --json -q
code() { "$GELATTO" next "$@" 2> err > /dev/null && echo 0 || echo $?; grep -v warning err | head -n 1; }
code rooms
code rooms $room -o $room
code nowhere $room
code rooms none.ply
code shapes $room
code rooms $room --tiles 0
