# predict reads and writes LAZ: a part of a file, and what is whole of a damaged one; the labels are
# those of the same points in LAS.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%.2f %.2f %.2f %d %d %d\n", i % 300 / 30,
     i / 300 / 30, (i % 7) / 10, i % 256, i / 7 % 256, 9 }' > a.xyz
"$GELATTO" convert a.xyz a.laz -q
"$GELATTO" convert a.laz part.las -q --box 0,0,3,2
"$GELATTO" predict -q m.safetensors part.las -o want.las > table
"$GELATTO" predict -q m.safetensors a.laz --box 0,0,3,2 -o got.laz > table
"$GELATTO" info got.laz | grep '^points'
for file in want.las got.laz; do "$GELATTO" convert $file $file.csv -q; done
cmp want.las.csv got.laz.csv && echo same
[ "$(head -c 4 got.laz)" = LASF ] && [ "$(wc -c < got.laz)" -lt "$(wc -c < want.las)" ] && echo packed
head -c $(($(wc -c < a.laz) * 9 / 10)) a.laz > cut.laz
"$GELATTO" predict -q m.safetensors cut.laz -o no.laz > table 2> err || grep -o 'cut.laz: chunk 1 ' err
"$GELATTO" predict -q m.safetensors cut.laz --salvage --box 0,0,3,2 -o got.laz > table 2> err
grep -o '10000 of 60000 points are lost, the first with chunk 1 (whole chunks: 1)' err
"$GELATTO" convert got.laz salvaged.csv -q
cmp want.las.csv salvaged.csv && echo same
