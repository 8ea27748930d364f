# What is refused leaves nothing behind: a resume of a folder without a checkpoint, an --init that does not fit, a
# prediction whose input lies in the working folder. No output replaces a model or a read-only file.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
data='synth:rooms rooms=1 points=1100'
code() { "$GELATTO" "$@" > out 2> err && echo 0 || echo $?; head -n 1 err; }
mkdir empty
code train --resume empty
find empty
"$GELATTO" train "$data" "${small[@]}" --steps 1
code train "$data" "${small[@]}" --set width=16 --init runs/train1/last.safetensors
ls runs
mkdir linked others && ln -s ../others linked/checkpoints
cp runs/train1/checkpoints/* others
code train --resume linked
find linked others | sed 's/-0.*//'
# predict plans its outputs without touching the folder of its input
model=$PWD/runs/train1/last.safetensors
"$GELATTO" synth rooms -o rooms --rooms 1 --points 1100 -q
mkdir here && cp rooms/Area_1/office_1.ply here/scan.ply
touch -d 2001-01-01 here
(cd here && "$GELATTO" predict "$model" scan.ply -o ../there -q > /dev/null)
[ "$(stat -c %Y here)" = "$(date -d 2001-01-01 +%s)" ] && echo 'untouched'
ls here there
# models and read-only files stay
cp "$model" mine.html && cp "$model" mine.ply && cp "$model" other.safetensors && echo kept > kept.html && chmod 444 kept.html
code report here/scan.ply -o mine.html
code convert here/scan.ply mine.ply
code explain "$model" here/scan.ply -o other.safetensors
code convert "$model" other.safetensors
code report there/scan.ply -o kept.html
cmp mine.html "$model" && cmp mine.ply "$model" && cmp other.safetensors "$model" && cat kept.html
code convert "$model" other.safetensors --overwrite
