# No command writes over what it reads: clouds, models (by file and by name), the records of a run, files
# that happen to have the name of a passing one.
# labels: full
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
cp rooms/Area_1/office_1.ply a.ply
code() { "$GELATTO" "$@" > out 2> err && echo 0 || echo $?; head -n 1 err; }
cp a.ply a.kept
cp m.safetensors m.kept
code explain m.safetensors a.ply -o a.ply
code explain m.safetensors a.ply -o ./m.safetensors
cp a.ply a.png
code explain m.safetensors a.png --image a.png
mkdir models && cp m.safetensors models/mine.safetensors
GELATTO_MODELS=models code explain mine a.ply -o models/mine.safetensors
GELATTO_MODELS=models code convert mine models/mine.safetensors
# nor over what it has just written
for image in b.png ./b.png "$PWD/b.png"; do
    code explain m.safetensors a.ply -o b.png --image "$image" | sed "s|$PWD/||"
done
ls b.png 2> /dev/null || echo 'no b.png'
cmp a.ply a.kept && cmp a.png a.kept && cmp m.safetensors m.kept && cmp models/mine.safetensors m.kept
"$GELATTO" predict -q m.safetensors a.ply -o p.ply > table
cp p.ply p.kept
code report p.ply -o p.ply
cmp p.ply p.kept
# the temporary trace of an image or a film: what a killed process has left goes, other files stay
echo mine > x.png.trace
echo rest > x.png.trace.tmp-0
"$GELATTO" explain -q m.safetensors a.ply --image x.png
"$GELATTO" explain -q m.safetensors a.ply --film "it's/" --frames 1
ls "it's" | head -n 1
cat x.png.trace
ls x.png* *.trace*
# a run
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
data='synth:rooms rooms=1 points=1100'
"$GELATTO" train "$data" "${small[@]}" --steps 2
run=runs/train1
cp -r $run kept
code report $run -o $run/config.yaml
code report $run -o $run/log.txt
code report $run -o $run/score.json
code eval $run/best.safetensors "$data" -o $run
code eval $run/best.safetensors "$data" -o a.ply
diff -r $run kept && echo 'as it was'
"$GELATTO" eval -q $run/best.safetensors "$data" -o $run/test > table
code report $run -o $run/test/card.json
(cd $run && code report . -o confusion.csv)
code report -q $run -o $run/page.html
code report -q $run -o $run/page.html
