# A short training on rooms made in memory, stopped by --steps and continued: the same model as in
# one go; settings that the run does not have are refused.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
data='synth:rooms rooms=1 points=1100'
"$GELATTO" train "$data" "${small[@]}" --name whole
"$GELATTO" train "$data" "${small[@]}" --name part --steps 2
"$GELATTO" train --resume runs/part1 --quiet
cmp runs/whole1/last.safetensors runs/part1/last.safetensors && echo same
ls runs/whole1
"$GELATTO" train --resume runs/part1 --set lr=2 --quiet 2> err && exit 1
cat err
"$GELATTO" train 2> err && exit 1
cat err
