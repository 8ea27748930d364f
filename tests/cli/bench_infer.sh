# Times of a small network: the rows and the JSON are there.
"$GELATTO" bench infer --preset tiny --points 512 --repeats 1 --threads 1 | cut -f1
"$GELATTO" bench train --preset tiny --points 256 --clouds 1 --repeats 1 --threads 1 --json | grep -o '"bench": "train", "clouds": 1, "points": 256'
# the paper's tables
"$GELATTO" bench --table --preset tiny --set levels=64,32,16,8 --set stem=4 --set width=8 --set decoder=8 \
    --set head_hidden=4 --repeats 1 --threads 2 | cut -f 1,3 | tr '\t' ' '
# never more than all, and plain kernels have no peak of their own
for cpu in '' ref; do
    GELATTO_CPU=$cpu "$GELATTO" bench infer --preset tiny --points 512 --repeats 1 --threads 2 |
        awk '$1 == "share" {print ($2 > 0 && $2 <= 100)}'
done
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" bench predict m.safetensors rooms/Area_5/*.ply --repeats 1 -q | cut -f1
"$GELATTO" bench predict m.safetensors rooms/Area_5/*.ply --repeats 1 -q --json | grep -o '"bench": "predict", "points": [0-9]*'
# nothing is left behind
mkdir temporary
TMPDIR=$PWD/temporary "$GELATTO" bench predict m.safetensors rooms/Area_5/*.ply --repeats 1 -q >rows
ls temporary
status() {
    local code=0
    "$@" >/dev/null 2>&1 || code=$?
    echo "$code"
}
status "$GELATTO" bench predict m.safetensors
status "$GELATTO" bench learn
status "$GELATTO" bench
status "$GELATTO" bench infer --table
status "$GELATTO" bench --table --points 100
# without a place for its temporary file it fails; that is not a usage error
TMPDIR=$PWD/nowhere status "$GELATTO" bench predict m.safetensors rooms/Area_5/*.ply
# what a model brings along
status "$GELATTO" bench predict m.safetensors rooms/Area_5/*.ply --set k=8
