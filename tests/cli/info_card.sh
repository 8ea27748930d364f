# The card of a model, from what the file itself says; an installed model by its name.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
"$GELATTO" train 'synth:rooms rooms=1 points=1100' "${small[@]}" --steps 2
"$GELATTO" info --card runs/train1/best.safetensors > a.md
grep -E '^(#|\| (task|inputs|seed|data|step|metric_name) |    (points|stem): )' a.md
"$GELATTO" info --card runs/train1 | cmp - a.md && echo the same by its folder
# a folder by its own name only
"$GELATTO" synth rooms -o deep/place --rooms 1 --points 1100 -q
"$GELATTO" train deep/place/ "${small[@]}" --steps 2
"$GELATTO" info --card runs/train2/best.safetensors | grep '^| data '
mkdir store
cp runs/train1/best.safetensors store/small.safetensors
GELATTO_MODELS=store "$GELATTO" info --card small | cmp - a.md && echo same
GELATTO_MODELS=store "$GELATTO" info smal 2>&1 | grep -o "did you mean 'small'"
# shapes have no extent to be outside of
"$GELATTO" info --card shapes | sed -n '/^## Range/,/^## /p' | grep -c '| 0 | 0 |' || true
