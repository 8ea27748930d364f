# A limit on file sizes does not kill the program: it says what happened and what to do, the older
# checkpoints stay, and the run resumes once the limit is gone.
if [ -n "${TSAN_OPTIONS:-}" ]; then
    echo 'the thread sanitizer maps a file of its own and dies of a limit on file sizes' >&2
    exit 77
fi
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet --save 1)
data='synth:rooms rooms=1 points=700'
"$GELATTO" train "$data" "${small[@]}" --name whole --steps 4
"$GELATTO" train "$data" "${small[@]}" --name part --steps 2
(ulimit -f 8 && "$GELATTO" train --resume runs/part1 --steps 4 --save 1 --quiet) 2> err && exit 1
echo "exit $?"
grep -o 'the older ones are complete' err
grep hint err
ls runs/part1/checkpoints
"$GELATTO" train --resume runs/part1 --steps 4 --quiet
cmp runs/whole1/last.safetensors runs/part1/last.safetensors && echo same
