# Models of whole shapes: class and probabilities as table, CSV and JSON; parts with and without the
# category said.
small=(--set points=128 --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8
    --set head_hidden=8 --set cls_hidden=8 --set epochs=1 --set batch=4 --quiet --steps 2)
"$GELATTO" synth shapes -o s --shapes 2 --points 128 -q
"$GELATTO" train s/classes.yaml "${small[@]}" --name classes
"$GELATTO" train s/shapes.yaml "${small[@]}" --name parts
classes=runs/classes1/last.safetensors parts=runs/parts1/last.safetensors
first=$(find s/train -name '*.ply' | sort | head -n 1)
cp "$first" 'a, "b".ply'
cp "$first" c.ply
mv s/train test
echo - table
"$GELATTO" predict -q $classes c.ply | sed 's/: [a-z]* ([0-9.]*%), .*/: class, others/'
echo - CSV
"$GELATTO" predict -q --csv $classes c.ply 'a, "b".ply' > a.csv
head -n 1 a.csv | cut -d, -f 1-3
tail -n 1 a.csv | grep -o '^"a, ""b"".ply",'
awk -F, 'NR == 2 {for (i = 3; i <= NF; i++) sum += $i; printf "sum %.3f of %d\n", sum, NF - 2}' a.csv
echo - JSON
"$GELATTO" predict -q --json $classes c.ply | grep -o '"file": "c.ply"\|"class"\|"probabilities"'
"$GELATTO" predict -q --csv $classes test | tail -n +2 | wc -l
echo - parts
"$GELATTO" predict -q $parts c.ply -o p.ply | head -n 1 | grep -c '^c.ply: [a-z]'
"$GELATTO" predict -q $parts c.ply -o p2.ply 2>&1 | grep -c 'is nearly as likely'
"$GELATTO" predict -q --category chair $parts c.ply -o q.ply 2>&1 | grep -c 'is nearly as likely' || true
"$GELATTO" predict -q --category chair $parts c.ply -o q2.ply | head -n 1
"$GELATTO" predict -q --category Chair $parts c.ply -o q3.ply | head -n 1
"$GELATTO" eval -q $parts c.ply --set category=CHAIR > table 2>&1; tail -n 1 table | grep -o 'test split of c.ply'
"$GELATTO" predict -q --category dragon $parts c.ply -o r.ply 2>&1 | head -n 1 | cut -c 1-60
"$GELATTO" predict -q $classes c.ply -o r.ply 2>&1 | head -n 1
"$GELATTO" predict -q $classes c.ply --second 2>&1 | head -n 1
"$GELATTO" predict -q --category chair $classes c.ply 2>&1 | head -n 1
test ! -e r.ply
echo - a shape of many more points than those of the training
"$GELATTO" synth shapes -o many --shapes 1 --points 600 -q
find many -name '*.ply' | sort | head -n 1 | xargs "$GELATTO" predict $classes 2>&1 | grep -o '128 of 600 points are seen.*'
