# What a warning about the size of a cloud asks for: flat ground is not asked for another axis, a
# room that lies on its side is, and one in feet is asked for its unit.
model=$GELATTO_SOURCE/models/rooms.safetensors
box() { # X Y Z: points on the sides of a box
    awk -v x="$1" -v y="$2" -v z="$3" 'BEGIN { for (i = 0; i < 4000; i++)
        printf "%.3f %.3f %.3f\n", x * (i % 41) / 40, y * (i % 37) / 36, z * (i % 3) / 2 }'
}
hint() {
    "$GELATTO" predict "$model" "$1" -o "$1.ply" 2>&1 > /dev/null | grep "^warning: $1: extent" | sed 's/.*3.59: //'
}
box 10 9 0.3 > flat.xyz
box 10 2.5 12 > lying.xyz
box 32.8 29.5 8.9 > feet.xyz
box 10000 9000 2700 > mm.xyz
box 100 90 2.7 > wide.xyz
for cloud in flat lying feet mm wide; do
    hint $cloud.xyz
done
# the program says how, once for many clouds
mkdir many
for cloud in feet mm wide; do "$GELATTO" convert -q $cloud.xyz many/$cloud.ply; done
cp many/feet.ply many/more.ply
"$GELATTO" predict "$model" many -o labelled 2>&1 > /dev/null | grep '^hint'
# a file that names metres as its unit (GeoTIFF key 3076) is not asked for feet
"$GELATTO" convert -q feet.xyz feet.las
number() { od -An -tu4 -j"$1" -N4 feet.las | tr -d ' '; }
bytes() { for value in "$@"; do printf "\\x$(printf %x $((value % 256)))\\x$(printf %x $((value / 256)))"; done; }
points=$(number 96)
{
    head -c 96 feet.las
    bytes $((points + 70)) 0 $(($(number 100) + 1)) 0
    head -c $points feet.las | tail -c +105
    bytes 0
    printf 'LASF_Projection\0'
    bytes 34735 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 # no description
    bytes 1 1 0 1 3076 0 1 9001
    tail -c +$((points + 1)) feet.las
} > metres.las
hint feet.las
hint metres.las
