# A model remembers the numbers that its dataset had rules for: labels without names are taken by them.
small=(--set points=128 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8
    --set head_hidden=8 --set epochs=1 --set inputs=xyz --quiet --steps 1)
awk 'BEGIN {print "x y z classification"; for (i = 0; i < 400; i++)
    print i % 20 / 10 + 0.01, i * 7 % 19 / 10 + 0.01, i % 3 / 10 + 0.01, substr("112966625", i % 9 + 1, 1)}' > t.txt
mkdir set
"$GELATTO" convert -q t.txt set/a.las
"$GELATTO" convert -q t.txt set/b.las
printf "path: set\ntrain: a.las\ntest: b.las\nnames: [building, other, ground]\n" > set.yaml
printf "map: {1: other, 2: ground, 9: ground, 6: building}\nignore: [5]\n" >> set.yaml
"$GELATTO" train set.yaml "${small[@]}"
m=runs/train1/last.safetensors
numbers() { head -c 100000 "$1" | tr -d '\\' | grep -ao '"numbers":[^]]*]' | paste -sd' '; }
numbers $m
"$GELATTO" convert -q $m half.safetensors --half
numbers half.safetensors
"$GELATTO" predict $m set/b.las -o b.ply 2>&1 > table | grep 'by number'
"$GELATTO" predict -q $m t.txt -o t.ply > table
score() { "$GELATTO" eval -q $m "$1" | head -n 6; }
score set.yaml > wanted
for cloud in set/b.las b.ply t.txt t.ply; do
    score $cloud | cmp - wanted && echo same
done
# labels without a rule are ignored, however many there are
awk '$4 == 5 {$4 = 1000000 + NR} {print}' t.txt > odd.txt
score odd.txt | cmp - wanted && echo same
"$GELATTO" info b.ply | grep '^  truth \|^  original'
# LAS gets them back, and everything in it speaks of the same classes
"$GELATTO" predict -q $m set/b.las -o b.las --second > table
"$GELATTO" convert -q b.las b.csv 2> log
"$GELATTO" predict -q $m set/b.las -o c.csv --second > table 2> log
"$GELATTO" info b.las | sed -n '/^classification/,$s/ *[0-9]* *[0-9.]* %$//p' > classes
test -s classes
grep -vx ' *\(1 other\|2 ground\|6 building\)' classes || echo 'no others'
columns() { awk -F, -v names="$2" 'NR == 1 {n = split(names, want, " "); for (k = 1; k <= NF; k++) at[$k] = k}
    NR > 1 {for (k = 1; k <= n; k++) printf "%s ", $at[want[k]]; print ""}' "$1"; }
columns c.csv 'label truth second' | sed 's/\<0 /six /g; s/\<2 /two /g; s/\<1 /one /g' > wanted.columns
columns b.csv 'classification truth second' | sed 's/\<6 /six /g; s/\<2 /two /g; s/\<1 /one /g' | cmp - wanted.columns && echo same
score b.las | cmp - wanted && echo same
"$GELATTO" predict -q $m b.las -o again.las > table
score again.las | cmp - wanted && echo same
# rules that leave out a class: labels without a rule count by number
printf "path: set\ntrain: a.las\nnames: [a, b, c, d, e]\nmap: {9: a, 6: b}\nignore: [2]\n" > part.yaml
sed 's/ 5$/ 4/' t.txt > four.txt
"$GELATTO" convert -q four.txt set/a.las
"$GELATTO" train part.yaml "${small[@]}" --name part
numbers runs/part1/last.safetensors
# the same of rules that take a class its number, but not where numbers need rules
cp t.txt set/a.txt
cp t.txt set/b.txt
for rules in 'ignore: [2, 9]' 'map: {9: a}\nignore: rest' 'map: {9: a, rest: ignore}\nignore: [1]'; do
    printf "path: set\ntrain: a.txt\ntest: b.txt\nnames: [a, b, c, d, e, f, g]\n$rules\n" > few.yaml
    "$GELATTO" train few.yaml "${small[@]}" --name few
    m=runs/few1/last.safetensors
    numbers $m
    cmp <("$GELATTO" eval -q $m few.yaml | head -n 10) <("$GELATTO" eval -q $m t.txt | head -n 10) && echo same
    rm -r runs/few1
done
# without rules there are none
printf "path: set\ntrain: a.las\nnames: [a, b, c, d, e, f, g, h, i, j]\n" > plain.yaml
"$GELATTO" train plain.yaml "${small[@]}" --name plain
[ -n "$(numbers runs/plain1/last.safetensors)" ] || echo none
