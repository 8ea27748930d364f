# Names that are not UTF-8: scored without a card, refused before the work with one, U+FFFD in JSON; a data
# set of such a name gets no run.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
"$GELATTO" synth rooms -o rooms --rooms 1 --points 1100 -q
"$GELATTO" train rooms "${small[@]}" --steps 1
model=runs/train1/last.safetensors
odd=$'r\xe9\xe2\x82.ply'
cp rooms/Area_5/office_1.ply "$odd"
"$GELATTO" eval -q $model "$odd" | tail -n 1 | cut -d, -f 1
code() { "$GELATTO" "$@" > out 2> err && echo 0 || echo $?; head -n 1 err | iconv -f latin1 -t utf-8; }
code eval -q $model "$odd" --json
code eval -q $model "$odd" -o card
ls card 2> /dev/null || echo 'no card'
"$GELATTO" predict -q $model "$odd" -o p.ply --json | iconv -f utf-8 -t utf-8 | grep -o '"file": "[^"]*"'
"$GELATTO" info -q --json "$odd" p.ply | iconv -f utf-8 -t utf-8 | grep -o '"file": "[^"]*"'
mv rooms $'r\xe9'
code train $'r\xe9' "${small[@]}" --steps 1
code train p.ply "${small[@]}" --steps 1
ls runs
