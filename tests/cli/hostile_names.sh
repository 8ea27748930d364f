# Names of classes, files and attributes stay text: for a spreadsheet, in Markdown, on a terminal.
small=(--set points=128 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8
    --set head_hidden=8 --set epochs=1 --set inputs=xyz --quiet --steps 1)
awk 'BEGIN {print "x y z label =1+1"; for (i = 0; i < 400; i++)
    print i % 20 / 10 + 0.01, i * 7 % 19 / 10 + 0.01, i % 3 / 10 + 0.01, i % 4, -i}' > a.txt
mkdir set
cp a.txt set/a.txt
cp a.txt set/b.txt
cat > set.yaml <<'YAML'
path: set
train: a.txt
test: b.txt
names: ["=cmd|'/C calc'!A0", "<img src=x>`````", "\u202Egnp.\u2066x\u200F", "-5"]
YAML
"$GELATTO" train set.yaml "${small[@]}"
m=runs/train1/last.safetensors
cp a.txt -- -a.txt
"$GELATTO" predict -q $m ./-a.txt -o out.csv --csv 2> log | head -n 1
cp a.txt @a.txt
"$GELATTO" predict -q $m @a.txt -o out.csv --csv 2> log | tail -n 1 | cut -d , -f 1
cp a.txt "'=a.txt"
"$GELATTO" predict -q $m "'=a.txt" -o out.csv --csv 2> log | tail -n 1 | cut -d , -f 1
head -n 1 out.csv | tr , '\n' | grep 1+1
"$GELATTO" eval -q $m set.yaml -o scores > table
head -n 1 scores/confusion.csv | tr -d '\342\200\256\201\246\217'
grep -c '^``````$' scores/card.md
"$GELATTO" info --card $m | sed -n '/^## Classes/,/^## Range/p' | grep img
# marks of direction (U+202A to U+202E, U+2066 to U+2069, U+200E and others) and C1, as UTF-8 and as a byte
marks=$'\xe2\x80\xaa\xe2\x80\xab\xe2\x80\xac\xe2\x80\xad\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa7\xe2\x81\xa8'
marks+=$'\xe2\x81\xa9\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8\xe2\x80\xa9\xc2\x85\xc2\x9b'
file=b$marks$'\x9b.txt'
cp a.txt "$file"
for option in '' -j; do
    { "$GELATTO" info $option $m && "$GELATTO" info $option "$file" a.txt; } > out 2>&1
    LC_ALL=C grep -c $'\xe2\x80\xaa\|\xe2\x80\xab\|\xe2\x80\xac\|\xe2\x80\xad\|\xe2\x80\xae\|\xe2\x81\xa6\|\xe2\x81\xa7\|\xe2\x81\xa8\|\xe2\x81\xa9\|\xe2\x80\x8e\|\xe2\x80\x8f\|\xd8\x9c\|\xe2\x80\xa8\|\xe2\x80\xa9\|\xc2\x85\|\xc2\x9b' out || true
    LC_ALL=C grep -o 'b[?][?]*[.]txt\|b\\u202a[^.]*' out | head -n 1
done
"$GELATTO" info -j $m | grep -o '"name": *"[^"]*gnp[^"]*"'
