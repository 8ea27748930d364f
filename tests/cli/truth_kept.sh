# The truth of a cloud stays what it was: under another model's numbers for the same names, and for
# classes that were never predicted.
small=(--set points=128 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8
    --set head_hidden=8 --set epochs=1 --set inputs=xyz --quiet --steps 1)
awk 'BEGIN {for (i = 0; i < 400; i++) print i % 20 / 10 + 0.01, i * 7 % 19 / 10 + 0.01, i % 3 / 10 + 0.01, i % 4 < 3 ? 0 : 1}' > t.txt
mkdir set && cp t.txt set/a.txt && cp t.txt set/b.txt
printf "path: set\ntrain: '*.txt'\nnames: [left, right]\n" > one.yaml
printf "path: set\ntrain: '*.txt'\nnames: [right, middle, left]\n" > other.yaml
"$GELATTO" train one.yaml "${small[@]}" --name one
"$GELATTO" train other.yaml "${small[@]}" --name other
one=runs/one1/last.safetensors other=runs/other1/last.safetensors
truth() { # points of each class: its name in the file, how many
    "$GELATTO" convert -q "$1" t.csv 2> log
    grep -v '^#' t.csv | head -n 1 | tr ',' '\n' | grep -nx truth | cut -d: -f 1 > column
    grep -v '^#' t.csv | tail -n +2 | cut -d, -f "$(cat column)" | sort -n | uniq -c | while read -r count number; do
        echo "$number $(grep -a "comment class $number " "$1" | cut -d' ' -f 4) $count"
    done
}
{
    printf '%s\n' ply 'format ascii 1.0' 'comment class 0 left' 'comment class 1 right' 'element vertex 400'
    printf 'property %s\n' 'float x' 'float y' 'float z' 'uchar label'
    echo end_header
    cat t.txt
} > named.ply
"$GELATTO" predict -q $one named.ply -o a.ply > table
"$GELATTO" predict -q $other a.ply -o b.ply > table
"$GELATTO" predict -q $one b.ply -o c.ply > table
echo - one && truth a.ply
echo - other && truth b.ply
echo - one again && truth c.ply
# explain as well
"$GELATTO" explain -q $other named.ply -o named.trace
"$GELATTO" explain -q $other a.ply -o a.trace
cmp named.trace a.trace && echo 'the same trace'
# a class that is there and never predicted counts in the scores
awk 'BEGIN {print "x y z label confidence truth"; for (i = 0; i < 90; i++) print i % 9, i / 9, 0, 0, 1, i % 3}' > never.txt
"$GELATTO" report -q never.txt -o never.html
grep -o 'mIoU <b>[0-9.]* %</b>\|over [0-9]* labelled points' never.html
