# A model for points without colour begins with one that saw colours: the stem keeps the columns of
# xyz. A model is written at half the size, and still predicts.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2)
data='synth:rooms rooms=1 points=700'
"$GELATTO" train "$data" "${small[@]}" --name colour --steps 1 --quiet
first=runs/colour1/last.safetensors
"$GELATTO" train "$data" "${small[@]}" --set inputs=xyz --init $first --name plain --steps 1 --set lr=0 \
    2>&1 | grep -o 'begins with .* tensors of .*; 0 drawn anew'
"$GELATTO" info runs/plain1/last.safetensors | grep '^  inputs'
"$GELATTO" convert $first half.safetensors --half
"$GELATTO" convert $first whole.safetensors
[ "$(stat -c %s half.safetensors)" -lt "$(stat -c %s whole.safetensors)" ] && echo smaller
"$GELATTO" synth rooms -o rooms --rooms 1 --points 700 --quiet
"$GELATTO" predict half.safetensors rooms/Area_5/office_1.ply -o out.ply -q > predict.txt && echo predicted
"$GELATTO" convert rooms/Area_5/office_1.ply a.pcd --half 2> err || echo "exit $?"
head -n 1 err
"$GELATTO" convert rooms/Area_5/office_1.ply a.safetensors 2> err || echo "exit $?"
