# A folder with a label out of range and a listed file that is not there.
mkdir scans
printf 'x y z label\n0 0 0 0\n0 1 0 1\n1 0 0 1\n' >scans/a.txt
printf 'x y z label\n0 0 1 0\n0 1 1 7\n1 0 1 1\n' >scans/b.txt
printf 'train: [scans, c.txt]\nnames: [ground, tree]\n' >set.yaml
"$GELATTO" check set.yaml --set inputs=xyz --set validation=off --set radius=1
