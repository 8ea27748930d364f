# Coordinates of a map as 32-bit floats: half a metre apart. Doubles of the same file are not.
cloud() {
    printf 'ply\nformat ascii 1.0\nelement vertex 400\nproperty %s x\nproperty %s y\n' "$1" "$1"
    printf 'property %s z\nproperty uchar label\nend_header\n' "$1"
    awk 'BEGIN { for (i = 0; i < 400; i++)
        printf "%.2f %.2f %.2f %d\n", 500000 + i % 20 * 0.5, 5400000 + int(i / 20) * 0.5, i % 5, i % 2 }'
}
cloud float > map.ply
cloud double > exact.ply
"$GELATTO" info map.ply | grep steps
"$GELATTO" info --json map.ply | grep -o '"step": *[0-9.]*'
"$GELATTO" check map.ply --set inputs=xyz > out 2> err || true
grep 32-bit out
grep 32-bit err
"$GELATTO" info exact.ply | grep steps || echo none
"$GELATTO" check exact.ply --set inputs=xyz 2>&1 | grep 32-bit || echo none
# a cloud at the origin has the finest steps there are, also where its points are one
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n' > o.ply
printf '0 0 0\n0 0 0\n0 0 1e-9\n' >> o.ply
"$GELATTO" info o.ply | grep steps || echo none
