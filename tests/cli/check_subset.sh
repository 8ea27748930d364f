# Clouds that an option leaves out are not reported as unused.
mkdir scans
for i in a b c d; do printf 'x y z label\n0 0 0 0\n0 1 0 1\n1 0 0 1\n' >scans/$i.txt; done
printf '?' >scans/e.blend
printf 'train: scans/*.txt\nnames: [ground, tree]\n' >set.yaml
for subset in 1 2; do
    "$GELATTO" check set.yaml --set inputs=xyz --set validation=off --set subset=$subset | grep 'unused file'
done
# and the parts of other categories are not missed
"$GELATTO" synth shapes -o s --shapes 3 --points 100 -q
category=$(sed -n 's/^  *\([a-z]*\):.*/\1/p' s/shapes.yaml | head -n 1)
"$GELATTO" check s/shapes.yaml --set category=$category --set validation=off > log || cat log
grep 'cannot be learned' log || echo none
