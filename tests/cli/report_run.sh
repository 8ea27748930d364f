# The report of a training run: curves, validation, evaluation, images, settings; the same bytes again.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
data='synth:rooms rooms=1 points=1100'
"$GELATTO" train "$data" "${small[@]}" --steps 2
run=runs/train1
"$GELATTO" eval $run/best.safetensors "$data" -o $run/test -q > table
"$GELATTO" synth rooms -o rooms --rooms 1 --points 1100 -q
"$GELATTO" render rooms/Area_5/office_1.ply -o $run/test/room.png -q
"$GELATTO" report $run -o a.html -q
"$GELATTO" report $run -o b.html -q -t 1
cmp a.html b.html && echo same
grep -o '<h[123]>[^<]*</h[123]>\|<figcaption>[^<]*\|<td>block_min</td><td>64</td>' a.html
grep -c '<polyline' a.html
grep -cE '(src|href)="http' a.html || true
code() { "$GELATTO" report "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
mkdir empty
code empty -o c.html
code $run
code $run $run -o c.html
code $run -o nowhere/c.html
ls c.html 2> /dev/null || echo none
# files that are no image and no card cost neither the report nor its other images
mkdir $run/folder.png
mkdir $run/damaged && echo '{"half":' > $run/damaged/card.json
cp -r $run/test $run/torn && echo 'truth\predicted,a' > $run/torn/confusion.csv
ln -s nowhere $run/test/lost.png
"$GELATTO" report $run -o d.html -q 2>&1
grep -o '<figcaption>[^<]*\|<h2>Evaluation: [a-z]*' d.html
# of a line that a kill has torn nothing is taken, of a long log its end
printf '9,3,1.9' >> $run/results.csv
head -c 20000000 /dev/zero | tr '\0' 'x' >> $run/log.txt
"$GELATTO" report $run -o f.html -q 2> /dev/null
grep -o '[0-9]* steps, [0-9]* epochs\?\|<summary>its end' f.html
# of shapes shapes are counted
"$GELATTO" synth shapes -o s --shapes 3 --points 128 -q
"$GELATTO" train s/classes.yaml --set points=128 --set levels=64 --set k=6 --set stem=8 --set width=8 --set batch=4 \
    --set decoder=8 --set head_hidden=8 --set cls_hidden=8 --set epochs=1 --quiet --steps 1 --name shapes
"$GELATTO" report runs/shapes1 -o e.html -q
grep -o 'labelled [a-z]*' e.html
