# A patch changes the labels it names; one of other points is refused.
awk 'BEGIN {print "x y z label"; for (i = 0; i < 50; i++) print i % 5, i % 7, i * 0.5, i % 3}' > a.txt
"$GELATTO" view -q a.txt -o a.html
digest=$(grep -o '"digest":"[0-9a-f]*"' a.html)
echo "{\"gelatto\":\"patch\",\"version\":1,\"cloud\":\"a.txt\",$digest,\"points\":50,\"maximum\":3000000,
    \"edits\":[{\"class\":7,\"name\":\"tree\",\"rows\":\"2-3 10\"}]}" > p.json
"$GELATTO" patch a.txt p.json -o b.txt 2>&1
head -n 1 b.txt
diff a.txt <(cut -d ' ' -f 1-4 b.txt | grep -v '^#') | grep '^>'
grep -c ' 1$' b.txt
"$GELATTO" patch a.txt p.json -o b.ply --no-reviewed -q
"$GELATTO" info b.ply | grep -c reviewed || true
"$GELATTO" patch a.txt p.json -o b.bin 2>&1 | grep -c 'no place for reviewed'
code() { "$GELATTO" patch "$@" 2> err && echo 0 || echo $?; head -n 1 err | cut -c 1-70; }
code a.txt p.json
code a.txt p.json -o a.txt
code a.txt p.json -o b.pts
sed 's/"patch"/"model"/' p.json > q.json
code a.txt q.json -o c.txt
sed 's/^4 /5 /' a.txt > other.txt
code other.txt p.json -o c.txt
ls c.txt 2> /dev/null || echo none
cp a.txt again.txt
"$GELATTO" patch again.txt p.json -o again.txt --overwrite -q && grep -c '^' again.txt
