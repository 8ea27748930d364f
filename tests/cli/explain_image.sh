# The images of the paper: drawn, the same bytes again, and refused where there is nothing to draw.
# labels: full
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
room=rooms/Area_1/office_1.ply
for kind in attention scores grouping graph outputs panels levels; do
    "$GELATTO" explain m.safetensors $room -q --point 5 -k $kind --image $kind.png
    "$GELATTO" explain m.safetensors $room -q --point 5 -k $kind --image again.png -o t.safetensors -t 1
    cmp $kind.png again.png && head -c 4 $kind.png | tail -c 3 && echo " $kind"
done
ls *.trace 2> /dev/null && exit 1
code() { "$GELATTO" explain -q "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code m.safetensors $room
code m.safetensors $room --image a.png --kind nothing
code m.safetensors $room --image a.png --channel 999
code m.safetensors $room --image a.png --point 3000
code m.safetensors $room --image nowhere/a.png
code m.safetensors $room -o t.safetensors --kind levels
code m.safetensors $room --image b.png --channel 0,1,2,3 --up y
code m.safetensors $room --image b.png --kind levels --cut 0.9
code m.safetensors $room --image b.png --kind graph --point 5 --other 9 --level 3 --block 2
code m.safetensors $room --image a.png --channel 1,2
code m.safetensors $room --image a.png --other 4
code m.safetensors $room --image a.png --level 1
code m.safetensors $room --image a.png --kind outputs --channel 1
code m.safetensors $room -o t.safetensors --up y
code m.safetensors $room --image a.png --frames 3
code m.safetensors $room --film film --frames 0
ls a.png nowhere 2> /dev/null || echo none
