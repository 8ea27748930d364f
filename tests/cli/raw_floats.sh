# Scans without a header: points of 3, 5 or 6 floats are read as such, also where 4 divides the size.
raw() { # NAMES POINTS: a binary PLY of floats without its header
    printf 'ply\nformat ascii 1.0\nelement vertex %d\n' "$2" > t.ply
    for name in $1; do echo "property float $name" >> t.ply; done
    echo end_header >> t.ply
    awk -v names="$1" -v points="$2" 'BEGIN {
        columns = split(names, name, " ")
        for (i = 0; i < points; i++) {
            split(sprintf("%.2f %.2f %.2f %.3f %d %d", 40 * sin(i * 7), 40 * cos(i * 5), i % 50 / 20,
                          i % 97 / 97, i % 32, i % 200), value, " ")
            for (k = 1; k <= columns; k++)
                printf "%s%s", value[k], k < columns ? " " : "\n"
        }
    }' >> t.ply
    "$GELATTO" convert t.ply b.ply -e binary -q
    LC_ALL=C sed '1,/^end_header$/d' b.ply
}
show() {
    "$GELATTO" info "$@" 2> err | awk '/^points/ {print} /f32/ {printf "%s ", $1} END {print ""}'
    cat err
}
raw 'x y z' 400 > three.bin
raw 'x y z intensity' 400 > four.bin
raw 'x y z intensity ring' 400 > five.bin
raw 'x y z intensity ring' 401 > odd.bin
raw 'x y z intensity a b' 400 > six.bin
for scan in three four five odd six; do show $scan.bin; done
show five.bin --columns x,y,z,-,-
head -c 44 four.bin > short.bin
show short.bin
