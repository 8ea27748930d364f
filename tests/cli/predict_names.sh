# Classes whose names differ only in what a header cannot hold keep probabilities of their own; -t goes
# over GELATTO_THREADS.
small=(--set points=128 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8
    --set head_hidden=8 --set epochs=1 --set inputs=xyz --quiet --steps 1)
awk 'BEGIN {for (i = 0; i < 400; i++) print i % 20 / 10 + 0.01, i * 7 % 19 / 10 + 0.01, i % 3 / 10 + 0.01, i % 2}' > t.txt
mkdir set && cp t.txt set/a.txt && cp t.txt set/b.txt
printf "path: set\ntrain: '*.txt'\nnames: ['a b', a_b]\n" > set.yaml
GELATTO_THREADS=2 "$GELATTO" train set.yaml "${small[@]}" -t 1
grep -o '"threads":[ 0-9]*' runs/train1/environment.json | tr -d ' '
"$GELATTO" predict -q --probabilities runs/train1/last.safetensors t.txt -o o.csv > table
"$GELATTO" predict -q --probabilities runs/train1/last.safetensors o.csv -o o2.csv > table
head -n 1 o2.csv | tr ',' '\n' | grep probability
