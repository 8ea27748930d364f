# The loss of a point is over the parts of its category, or over all: then categories are learned too.
"$GELATTO" synth shapes -o s --shapes 6 --points 64 -q
small=(--set points=64 --set levels=32 --set k=4 --set stem=16 --set width=16 --set decoder=16 --set head_hidden=16
    --set epochs=12 --set lr=1e-2 --set schedule=onecycle --set batch=4 --set dropout=0 --set validation=off --quiet)
share() { sed 's/.*"category_accuracy":\([0-9.]*\).*/\1/' $1/card.json; }
cloud=$(find s -name '*.ply' | sort | head -n 1)
for how in category all; do
    "$GELATTO" train s/shapes.yaml "${small[@]}" --set part_loss=$how --name $how
    m=runs/${how}1/last.safetensors
    "$GELATTO" eval -q $m s/shapes.yaml --split train -o $how | grep -o '^category told right where it is not given'
    "$GELATTO" predict $m "$cloud" -o $how.ply 2>&1 > table | grep -o 'a guess: the parts were learned within a category' ||
        echo 'no word of a guess'
done
awk -v all="$(share all)" -v own="$(share category)" 'BEGIN {print (all > own + 0.2 ? "told better" : own " and " all)}'
