# Shards in any order, twice at once and after a kill give the bytes of one run; gather finds what is missing.
small=(--set points=256 --set block_min=64 --set levels=64,32,16,8 --set k=6 --set stem=8
    --set width=8,8,8,8 --set decoder=8 --set head_hidden=8 --set inputs=xyz --quiet)
"$GELATTO" train "synth:rooms rooms=1 points=900" "${small[@]}" --steps 1 --name net 2> /dev/null
"$GELATTO" synth rooms -o scans --rooms 1 --points 900 --quiet
predict() { "$GELATTO" predict runs/net1 scans "$@" --halo 5 -q --csv 2>&1; }
predict -o one > one.csv
predict -o many --shard 3/3 > c.csv
predict -o many --shard 1/3 --skip-finished > a.csv &
predict -o many --shard 1/3 --skip-finished > a2.csv &
predict -o many --shard 2/3 --skip-finished > b.csv
wait
cmp a.csv a2.csv && sort -u a.csv b.csv c.csv > many.csv && sort one.csv | cmp - many.csv && echo 'the same summaries'
diff -r --exclude=.gelatto one many && echo 'the same bytes'
"$GELATTO" gather many -o page.html -q | sed 's/: .*core-hours//' | head -n 1
"$GELATTO" gather many --json | grep -o '"files":6,"finished":6'
awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) n += $i } END { print n, "points" }' one.csv
"$GELATTO" gather many --json | grep -o '"points":[0-9]*'
grep -c '<table>' page.html
rm many/Area_1/*.ply many/.gelatto/files/Area_2/*.json
touch many/Area_3/x.ply.tmp-0 many/.gelatto/{plan.jsonl,boxes/Area_2/y.ply.json,files/Area_2/y.ply.json}.tmp-0
"$GELATTO" gather many -q 2> /dev/null | grep -E '^(missing|broken|outdated)' | sed 's/_1\..*//' || true
"$GELATTO" gather many -q > /dev/null 2>&1 || echo "exit $?"
predict -o many --skip-finished | sort | cmp - many.csv && "$GELATTO" gather many --inputs -q > /dev/null && echo 'whole again'
find many -name '*.tmp-*'
for words in '--shard 0/3' '--shard 4/3' '--shard 3' '--shard 1/3x' '--skip-finished --overwrite' '--halo 5 --box 0,0,1,1'; do
    # shellcheck disable=SC2086
    "$GELATTO" predict runs/net1 scans -o many $words 2>&1 > /dev/null | head -n 1
done
"$GELATTO" predict runs/net1 scans/Area_1/*.ply -o x.ply --shard 1/2 2>&1 | head -n 1
"$GELATTO" gather scans 2>&1 | head -n 1
# A folder of somebody else: no link in it leads a sweep elsewhere, and names of classes are bounded.
mkdir -p theirs/.gelatto theirs/own elsewhere
ln -s ../elsewhere theirs/link
touch theirs/own/a.ply.tmp-0 elsewhere/a.ply.tmp-0
cat > theirs/.gelatto/plan.jsonl << 'EOF'
{"version":"1","model":"m","options":"","files":2}
{"output":"own/a.ply","input":"a.ply","bytes":1}
{"output":"link/a.ply","input":"a.ply","bytes":1}
EOF
"$GELATTO" gather theirs -q > /dev/null 2>&1 || true
find theirs elsewhere -name '*.tmp-*'
python3 - many/.gelatto/files/Area_1/*.json << 'EOF'
import json, sys
record = json.load(open(sys.argv[1]))
record["summary"]["labels"] = {f"class {i}": 1 for i in range(200000)}
json.dump(record, open(sys.argv[1], "w"))
EOF
"$GELATTO" gather many --json -q | grep -o '":1[,}]' | wc -l
# a folder packed by strangers: its links lead nowhere
echo kept > kept.txt
strange() { rm -rf many/.gelatto && eval "$1" && { predict -o many --skip-finished; "$GELATTO" gather many 2>&1; } | grep -o 'many/.gelatto[^ ]* is not a file of the folder.s own' | uniq; }
strange 'mkdir many/.gelatto && ln -s ../../kept.txt many/.gelatto/plan.jsonl'
strange 'ln -s ../scans many/.gelatto'
strange 'mkdir many/.gelatto && ln -s ../../scans many/.gelatto/files'
strange 'mkdir many/.gelatto && ln -s ../../scans many/.gelatto/boxes'
cat kept.txt
ls scans
