# Classes of the same probability are printed like others: a head of one hidden unit that is 0 knows nothing.
"$GELATTO" synth shapes -o s --shapes 3 --points 128 -q
"$GELATTO" train s/classes.yaml --set points=128 --set levels=64 --set k=6 --set stem=4 --set width=4 \
    --set cls_hidden=1 --set lr=0 --set epochs=1 --set seed=1 --steps 1 --quiet
model=runs/train1/last.safetensors
"$GELATTO" predict -q --csv $model s/test | cut -d, -f 3- | grep -cx '0.083333\(,0.083333\)*' > ties
[ "$(cat ties)" -gt 0 ] || echo 'no ties'
"$GELATTO" predict -q $model s/test > table
awk -F, 'NF != 5' table
grep -m 1 -o 'airplane (8.3%), .*' table
