# Clouds from a pipe: by content, as text, with the names that shells have for it.
printf 'x,y,z,label\n0,0,0,1\n1,0,0,1\n0,1,0,2\n0,0,1,2\n' > a.csv
for to in a.ply a.pcd a.las a.laz a.npy a.npz; do
    "$GELATTO" convert a.csv $to -q
    cat $to | "$GELATTO" convert - b.csv -q
    "$GELATTO" convert $to c.csv -q
    cmp b.csv c.csv && echo $to
done
points() { awk '/^format/ {printf "%s ", $2} /^points/ {print $2}'; }
cat a.csv | "$GELATTO" info - | points
cat a.las | "$GELATTO" info /dev/stdin | points
"$GELATTO" info - < a.las | points
"$GELATTO" info /dev/stdin < a.las | points
"$GELATTO" info <(cat a.ply) | points
cat a.ply | "$GELATTO" render - -o a.png -q && ls a.png
cat a.ply | "$GELATTO" view - -o a.html -q > /dev/null && ls a.html
awk 'BEGIN { for (i = 0; i < 900; i++) print i % 30 / 10, i / 300, i % 7 / 3 }' > room.xyz
"$GELATTO" convert room.xyz room.laz -q
cat room.laz | "$GELATTO" predict "$GELATTO_SOURCE/models/rooms.safetensors" - -o labelled.laz -q > /dev/null 2>&1
"$GELATTO" info - < labelled.laz | points
# what is no cloud, nothing, and no place for a cloud
printf '\001\002\003\004' | "$GELATTO" info - || true
"$GELATTO" info - < /dev/null || true
"$GELATTO" convert a.ply - || true
mkfifo pipe.ply
"$GELATTO" info pipe.ply || true
