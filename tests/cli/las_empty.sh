# A LAS or LAZ file without points is an empty cloud: it is described and converted, and what needs
# points says so.
printf 'ply\nformat ascii 1.0\nelement vertex 0\nproperty double x\nproperty double y\nproperty double z\nend_header\n' > none.ply
"$GELATTO" convert none.ply none.las -q
"$GELATTO" convert none.las none.laz -q
"$GELATTO" convert none.laz back.csv -q
cat back.csv
for cloud in none.las none.laz; do
    "$GELATTO" info $cloud | grep -E '^(format|points)'
    "$GELATTO" info --json $cloud | grep -o '"points":0'
    "$GELATTO" render $cloud -o none.png || true
    "$GELATTO" predict "$GELATTO_SOURCE/models/rooms.safetensors" $cloud -o labelled.las || true
done
ls
