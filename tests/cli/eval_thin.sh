# Scores on thinned and on turned clouds: keeping all changes nothing, the same with any number of
# threads, for scenes, parts and classes; the card says what was done.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set cls_hidden=8 --set epochs=1 --quiet)
rooms='synth:rooms rooms=1 points=1100'
"$GELATTO" synth shapes -o shapes --shapes 10 --points 200 --quiet
"$GELATTO" train "$rooms" "${small[@]}" --steps 2 --name segment
"$GELATTO" train shapes/shapes.yaml "${small[@]}" --steps 2 --name parts
"$GELATTO" train shapes/classes.yaml "${small[@]}" --steps 2 --name classify
score() { # task, data, options
    local model=runs/${1}1/best.safetensors data=$2
    shift 2
    "$GELATTO" eval $model "$data" --quiet "$@"
}
for task in segment parts classify; do
    data=$rooms
    [ $task = segment ] || data=shapes/shapes.yaml
    [ $task != classify ] || data=shapes/classes.yaml
    score $task "$data" -o all > all.txt
    score $task "$data" -o one --keep 1 > one.txt
    cmp all.txt one.txt && cmp all/confusion.csv one/confusion.csv && ! grep thin one/* && echo "$task: all"
    score $task "$data" -o half --keep 0.5 --thin 1.5 -t 1 > half.txt
    score $task "$data" -o again --keep 0.5 --thin 1.5 -t 3 > again.txt
    cmp half.txt again.txt && cmp half/confusion.csv again/confusion.csv && echo "$task: half"
    grep -o '^always .*: .* [0-9]' all.txt | cut -d: -f2 | tr -d 0-9
    tail -n 1 half.txt
    grep -o '"thinning":{"keep":0.5,"range":1.5,"density":0.0,"kept":0.[0-9]\{4\}' half/card.json
    grep '^- thinned' half/card.md
    score $task "$data" --keep 0.5 --thin 1.5 --seeds 2 | grep -c 'over 2 seeds'
    score $task "$data" -o turned --turn 90 -t 1 > turned.txt
    score $task "$data" -o again --turn 90 -t 3 > again.txt
    cmp turned.txt again.txt && ! cmp -s all/confusion.csv turned/confusion.csv && tail -n 1 turned.txt
    grep -o '"turn":90.0' turned/card.json
    [ $task = classify ] || [ "$(score $task "$data" --keep 0.5 --json | sed 's/.*"labelled":\([0-9]*\).*/\1/')" -lt \
        "$(sed 's/.*"labelled":\([0-9]*\).*/\1/' all/card.json)" ]
done
"$GELATTO" synth rooms -o rooms --rooms 1 --points 1100 --quiet
score segment rooms/Area_5/office_1.ply --keep 0.25 | tail -n 1
score segment rooms/Area_5/office_1.ply --density 5 | tail -n 1 # how many stay follows from its size
score segment rooms/Area_5/office_1.ply --density 100000 | tail -n 1
code() { "$GELATTO" eval "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code model data --keep 0
code model data --keep 1.5
code model data --keep nan
code model data --turn 181
code model data --thin -2
code model data --thin 0
code model data --thin far
code model data --density 0
