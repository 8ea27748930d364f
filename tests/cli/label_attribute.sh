# Any attribute can be chosen as the one with labels; info, check and predict agree on it.
printf 'x,y,z,gt,other\n0,0,0,1,5\n1,0,0,0,5\n0,1,0,1,5\n0,0,1,1,5\n' > a.csv
"$GELATTO" info a.csv | grep -c '^gt' || echo 'no labels'
"$GELATTO" info a.csv --label-attribute gt | sed -n '/^gt/,$p'
"$GELATTO" info a.csv --label-attribute gt --json | grep -o '"label_attribute":"[^"]*"'
"$GELATTO" info a.csv --label-attribute none 2>&1 || echo "exit $?"
# check: by an option, or by the YAML, whose word counts
printf 'train: "*.csv"\nnames: [a, b]\n' > plain.yaml
printf 'train: "*.csv"\nnames: [a, b]\nlabel_attribute: gt\n' > named.yaml
for try in 'plain.yaml' 'plain.yaml --label-attribute gt' 'named.yaml' \
    'named.yaml --set label_attribute=other' 'plain.yaml --label-attribute other'; do
    echo "check $try"
    # shellcheck disable=SC2086  # words of a command line
    "$GELATTO" check $try --set inputs=xyz 2> /dev/null | grep -E '^labels|^ +[ab] .*%' | sed 's/;.*//' | head -n 2 || true
done
# a file alone, and rooms in areas
mkdir -p rooms/Area_1 rooms/Area_5
printf 'x,y,z,label,gt\n0,0,0,0,1\n1,0,0,0,1\n0,1,0,0,1\n0,0,1,0,1\n' | tee rooms/Area_1/r.csv > rooms/Area_5/r.csv
for data in rooms/Area_1/r.csv rooms; do
    "$GELATTO" check $data --set inputs=xyz --label-attribute gt 2> /dev/null | grep -E '^ +floor +4' || true
done
# convert: other names, one after the other
"$GELATTO" convert -q a.csv b.ply --rename gt:label,other:instance
"$GELATTO" info b.ply | sed -n '/^attributes/,$p'
"$GELATTO" convert -q a.csv c.csv --rename gt:t,other:gt,t:other
head -n 2 c.csv
for pairs in gt gt: :label gt:x none:label; do
    "$GELATTO" convert a.csv d.ply --rename "$pairs" 2>&1 | head -n 1
done
# predict: the labels that were chosen become the truth
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
printf 'x,y,z,red,green,blue,gt\n0,0,0,9,9,9,1\n1,0,0,9,9,9,0\n0,1,0,9,9,9,1\n0,0,1,9,9,9,1\n' > e.csv
"$GELATTO" predict -q m.safetensors e.csv -o f.ply > /dev/null
"$GELATTO" info f.ply | grep -c truth || echo 'no ground truth'
"$GELATTO" predict -q m.safetensors e.csv -o g.ply --label-attribute gt > /dev/null
"$GELATTO" info g.ply | grep -E '^  (gt|truth|label) '
# a classification that nobody gave is called so
"$GELATTO" convert -q b.ply h.las --map 0:1
"$GELATTO" info h.las | grep '^classification'
