# A cut LAZ file is refused with the chunk; --salvage reads the whole chunks and says what is lost.
awk 'BEGIN { for (i = 0; i < 120000; i++) printf "%.2f %.2f %.2f\n", i / 100, i % 300 / 10, i % 7 }' > a.xyz
"$GELATTO" convert a.xyz a.laz -q
size=$(wc -c < a.laz)
head -c $((size * 3 / 4)) a.laz > cut.laz
"$GELATTO" info cut.laz 2>&1 | grep -o 'cut.laz: chunk 1 '
"$GELATTO" info --salvage cut.laz 2> err | grep '^points'
"$GELATTO" convert --salvage cut.laz b.las -q 2> err || echo failed
grep -o '70000 of 120000 points are lost, the first with chunk 1 (whole chunks: 1)' err || cat err
head -c 3000 a.laz > none.laz
"$GELATTO" convert --salvage none.laz none.las 2>&1 || ls none.las 2> /dev/null || echo 'nothing'
"$GELATTO" convert a.laz c.las -q --box 0,0,99.999,40
"$GELATTO" info c.las | grep '^points'
"$GELATTO" info a.laz --box 1,2,3 2>&1 | grep -o 'box=1,2,3: x,y,X,Y are needed'
"$GELATTO" render a.laz --box 0,0,50,40 -o a.png -q && ls a.png
# what to do is said: how to keep what is whole, and who reads a version that is not read here
"$GELATTO" info cut.laz 2>&1 | grep '^hint'
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" eval m.safetensors cut.laz 2>&1 | grep '^hint'
head=$(od -An -tu2 -j94 -N2 a.laz | tr -d ' ')
printf '\4' | dd of=a.laz bs=1 seek=$((head + 54 + 34 + 4)) conv=notrunc status=none
"$GELATTO" info a.laz || true
