# The loss of a point is over the parts of its category, or over all: then categories are learned too.
# labels: full
"$GELATTO" synth shapes -o s --shapes 6 --points 64 -q
small=(--set points=64 --set levels=32 --set k=4 --set stem=16 --set width=16 --set decoder=16 --set head_hidden=16
    --set epochs=16 --set lr=1e-2 --set schedule=onecycle --set batch=4 --set dropout=0 --set validation=off --quiet)
share() { sed 's/.*"category_accuracy":\([0-9.]*\).*/\1/' $1/card.json; }
poor() { "$GELATTO" predict runs/${1}1/last.safetensors s/train/*/*.ply -o out 2>&1 > table | grep -c 'is nearly as likely'; }
for how in category all; do
    "$GELATTO" train s/shapes.yaml "${small[@]}" --set part_loss=$how --name $how
    m=runs/${how}1/last.safetensors
    "$GELATTO" eval -q $m s/shapes.yaml --split train -o $how | grep -o '^category accuracy when it is not given'
done
awk -v all="$(share all)" -v own="$(share category)" 'BEGIN {print (all > own + 0.2 ? "predicted better" : own " and " all)}'
[ "$(poor all)" -lt "$(poor category)" ] && echo 'fewer poor guesses'
