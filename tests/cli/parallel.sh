# labels: full
# The job script for GNU parallel labels a folder in shards, with the bytes of one run.
command -v parallel > /dev/null || exit 77
export HOME=$PWD # of its notice and its lists
mkdir -p .parallel && touch .parallel/will-cite
small=(--set points=256 --set block_min=64 --set levels=64,32,16,8 --set k=6 --set stem=8
    --set width=8,8,8,8 --set decoder=8 --set head_hidden=8 --set inputs=xyz --quiet)
"$GELATTO" train "synth:rooms rooms=1 points=900" "${small[@]}" --steps 1 --name net 2> /dev/null
"$GELATTO" synth rooms -o 'my scans; true' --rooms 1 --points 900 --quiet
"$GELATTO" predict runs/net1 'my scans; true' -o one --halo 10 -q > /dev/null 2>&1
JOBS=2 "$GELATTO_SOURCE/examples/cluster/parallel.sh" runs/net1 'my scans; true' 'many $(x)' 4 |
    sed -n '1s/:.*//p'
diff -r --exclude=.gelatto one 'many $(x)' && echo 'the same bytes'
find 'many $(x)' -name '*.tmp-*'
