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
# The first row's three weights of xyz; a step with lr = 0 has not changed them.
stem() {
    local len at
    len=$(od -An -tu8 -N8 "$1" | tr -d ' ')
    at=$(head -c $((8 + len)) "$1" | grep -ao '"stem.weight":{[^}]*}' | grep -o 'data_offsets":\[[0-9]*' | grep -o '[0-9]*$')
    od -An -tx4 -j $((8 + len + at)) -N 12 "$1"
}
[ "$(stem $first)" = "$(stem runs/plain1/last.safetensors)" ] && stem $first | grep -qv ' 0* 0* 0*$' && echo same stem
"$GELATTO" convert $first half.safetensors --half
"$GELATTO" convert $first whole.safetensors
[ "$(stat -c %s half.safetensors)" -lt "$(stat -c %s whole.safetensors)" ] && echo smaller
"$GELATTO" synth rooms -o rooms --rooms 1 --points 700 --quiet
"$GELATTO" predict half.safetensors rooms/Area_5/office_1.ply -o out.ply -q > predict.txt && echo predicted
"$GELATTO" convert rooms/Area_5/office_1.ply a.pcd --half 2> err || echo "exit $?"
head -n 1 err
"$GELATTO" convert rooms/Area_5/office_1.ply a.safetensors 2> err || echo "exit $?"
