# Shapes: which axis points up, dense ones, votes over headings, names of parts.
"$GELATTO" synth shapes -o set --shapes 4 --points 1500 -q
chair=$(find set/test/chair -name '*.ply' | sort | head -n 1)
shapes=$GELATTO_SOURCE/models/shapes.safetensors
parts=$GELATTO_SOURCE/models/parts.safetensors
class() { "$GELATTO" predict -q "$shapes" "$@" --csv 2> /dev/null | tail -n 1 | cut -d, -f 2-; }
# the model's shapes have y up: --up gives the bits of the cloud turned beforehand
"$GELATTO" convert -q "$chair" zup.ply --up y # z up now
"$GELATTO" convert -q zup.ply yup.ply --up x # z is y again
class zup.ply --up z > turned
class yup.ply > upright
class zup.ply > lying
cmp turned upright && echo 'up z as turned beforehand'
cmp -s lying upright || echo 'without it another result'
class yup.ply --up y | cmp - upright && echo 'up y is the default'
"$GELATTO" predict -q "$parts" zup.ply -o a.ply --up z --category chair > /dev/null 2>&1
"$GELATTO" predict -q "$parts" yup.ply -o b.ply --category chair > /dev/null 2>&1
for file in a b; do "$GELATTO" convert -q $file.ply $file.csv; cut -d, -f 7- $file.csv > $file.labels; done
cmp a.labels b.labels && echo 'parts too, and the cloud stays as it is'
"$GELATTO" info a.ply | grep '^  options'
"$GELATTO" info a.ply | grep -o 'chair back\|chair seat\|chair leg' | sort -u
# one heading is none; several vote
class yup.ply --headings 1 | cmp - upright && echo 'one heading'
class yup.ply --headings 6 > six
class yup.ply --headings 6 -t 1 | cmp - six && echo 'six headings, any number of threads'
cmp -s six upright || echo 'which vote'
"$GELATTO" predict -q "$parts" yup.ply -o c.ply --headings 4 --json 2> /dev/null | grep -o '"samples": [0-9]*'
# a dense shape is seen by as many points as the model was trained on; all get labels
"$GELATTO" synth shapes -o dense --shapes 1 --points 20000 -q
big=$(find dense -name '*.ply' -path '*chair*' | sort | head -n 1)
"$GELATTO" predict "$parts" "$big" -o d.ply --category chair 2>&1 > /dev/null | grep -o '2048 of 20000 points are seen'
"$GELATTO" predict -q "$parts" "$big" -o d.ply --category chair 2> /dev/null | tail -n +2 |
    awk '{sum += $(NF - 1)} END {print sum, "points labelled"}'
"$GELATTO" predict "$shapes" "$big" 2>&1 > /dev/null | grep -o '1024 of 20000 points are seen'
"$GELATTO" predict -q rooms "$big" -o e.ply --headings 3 2>&1 | head -n 1
"$GELATTO" predict -q "$shapes" "$big" --up w 2>&1 | head -n 1
# a shape that seems to stand on another axis is asked about, unless its axis is given
"$GELATTO" predict "$shapes" "$chair" 2>&1 > /dev/null | grep -o 'does z point up?.*\|^hint.*'
"$GELATTO" predict "$shapes" "$chair" --json 2> /dev/null | grep -o '"warnings": ."does z point up?'
"$GELATTO" predict "$shapes" "$chair" --up z 2>&1 > /dev/null | grep 'point up?' || echo 'not asked'
