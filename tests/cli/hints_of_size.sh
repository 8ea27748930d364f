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
