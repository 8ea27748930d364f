# A model of inputs=xyz,rgb? takes clouds with and without colours, and is scored both ways.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8
    --set head_hidden=8 --set epochs=1 --quiet)
rooms='synth:rooms rooms=1 points=1100'
"$GELATTO" train "$rooms" "${small[@]}" --set inputs=xyz,rgb? --set augment.rgb_drop=0.5 --steps 2 --name any
"$GELATTO" train "$rooms" "${small[@]}" --steps 2 --name rgb
"$GELATTO" eval runs/any1 "$rooms" -q | tail -n 1
"$GELATTO" eval runs/any1 "$rooms" -q --set colours=off | tail -n 1
cmp -s <("$GELATTO" eval runs/any1 "$rooms" -q) <("$GELATTO" eval runs/any1 "$rooms" -q --set colours=off) || echo differ
"$GELATTO" eval runs/rgb1 "$rooms" -q --set colours=off 2>&1 | head -n 1
printf 'x y z\n0 0 0\n1 0 0\n0 1 0\n' > plain.txt
"$GELATTO" predict runs/any1 plain.txt -o labelled.txt -q 2> err | head -n 1
grep -c grey err || true # nobody says that the colours are grey: there are none
"$GELATTO" predict runs/rgb1 plain.txt -o labelled.txt -q 2>&1 | grep -o 'has no rgb'
"$GELATTO" train "$rooms" "${small[@]}" --set inputs=xyz,normals? 2>&1 | head -n 1
