# Who labelled a cloud and how stands in every output that can hold it, and equal work gives equal bytes.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
in=rooms/Area_1/office_1.ply
# the same lines in every format, also where the file was labelled before
"$GELATTO" predict -q m.safetensors "$in" -o a.ply --overlap 1 --min-confidence 0.25 > /dev/null
"$GELATTO" info a.ply | sed -n '/^provenance/,$p' | sed 's/\(version\|commit\|digest\)\( *\).*/\1\2*/'
"$GELATTO" info a.ply | sed -n '/^provenance/,$p' > lines
for format in ply pcd las laz npz txt; do
    "$GELATTO" predict -q m.safetensors a.ply -o "b.$format" --overlap 1 --min-confidence 0.25 > /dev/null
    "$GELATTO" convert -q "b.$format" back.ply
    "$GELATTO" info back.ply | sed -n '/^provenance/,$p' | cmp - lines && echo "$format keeps it"
done
"$GELATTO" predict -q m.safetensors a.ply -o b.csv 2> /dev/null > /dev/null
grep -c gelatto b.csv || echo 'csv has no place for it'
# another prediction replaces it; threads, folders and memory do not change it
mkdir elsewhere
cp m.safetensors a.ply elsewhere
for format in ply pcd las laz npz txt; do
    "$GELATTO" predict -q m.safetensors a.ply -o "c.$format" > /dev/null
    "$GELATTO" predict -q -t 1 --max-memory 1G elsewhere/m.safetensors elsewhere/a.ply \
        -o "elsewhere/d.$format" > /dev/null
    cmp "c.$format" "elsewhere/d.$format" && echo "$format has equal bytes"
done
"$GELATTO" info c.laz | grep -E '^  (model|options) '
# what the cloud is unlike the training data in
"$GELATTO" predict -q "$GELATTO_SOURCE/models/rooms.safetensors" c.npz -o warned.npz 2> warnings > /dev/null
"$GELATTO" info warned.npz | sed -n 's/^  warning *//p' > kept
sed 's/^warning: c.npz: //' warnings | cmp - kept && grep -o '^density' kept
# LAS: the generating software; a date only where one is given
tail -c +59 c.las | head -c 32 | tr -d '\0' | sed "s/$("$GELATTO" version | tr -d , | cut -d ' ' -f 2)/VERSION/"
echo
od -An -tu2 -j90 -N4 c.las
SOURCE_DATE_EPOCH=1700000000 "$GELATTO" predict -q m.safetensors a.ply -o dated.las > /dev/null
od -An -tu2 -j90 -N4 dated.las
"$GELATTO" info dated.las | grep '^  time '
# reports have it
"$GELATTO" predict -q m.safetensors a.ply -o c.ply --json |
    grep -o '"provenance": .*' | sed 's/"\(version\|commit\|digest\)": "[^"]*"/"\1": */g'
"$GELATTO" report -q a.ply -o a.html
grep -o '<h2>Provenance' a.html
grep -c "$(sed -n 's/^  digest *//p' lines)" a.html
"$GELATTO" info --json a.ply | grep -o '"options":"[^"]*"'
