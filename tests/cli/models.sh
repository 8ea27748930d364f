# What is installed, and taking it by name.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
mkdir store
mv m.safetensors store/floors.safetensors
echo nonsense > store/broken.safetensors
export GELATTO_MODELS=nowhere:store
"$GELATTO" models | sed -n '/^floors/s/ \+/ /gp'
"$GELATTO" models --json -q | grep -c '"name": "floors", "task": "segment", "inputs": "xyz,rgb"'
"$GELATTO" convert floors noted.safetensors --licence 'CC0 1.0' --use 'floors and walls' --credit 'made by a test' --replay 'synth:rooms rooms=1'
"$GELATTO" info --card noted.safetensors | grep -E '^. (licence|credit|use|replay) '
mv noted.safetensors store/floors.safetensors
"$GELATTO" models | sed -n '/^floors/s/ \+/ /gp'
"$GELATTO" convert floors other.safetensors --licence $'two\nlines' 2>&1 | head -n 1
"$GELATTO" convert a.ply b.ply --use x 2>&1 | head -n 1
printf 'x y z red green blue\n0 0 0 9 9 9\n1 0 0 250 9 9\n0 1 0 9 9 9\n' > a.txt
"$GELATTO" predict floors a.txt -o b.txt -q | head -n 1
"$GELATTO" eval flors a.txt -q 2>&1 | grep -o "did you mean 'floors'"
"$GELATTO" info floors | head -n 1 | cut -d' ' -f 1
# a name with a dot, a file of another name; a missing cloud is no model
cp store/floors.safetensors store/floors.v2.safetensors
cp store/floors.safetensors plain
cp store/floors.safetensors mine.bin
for name in floors.v2 plain ./mine.bin; do
    "$GELATTO" info $name | head -n 1 | cut -d' ' -f 1
done
"$GELATTO" info missing.ply 2>&1 | cut -c 1-20
"$GELATTO" info a.txt | head -n 1
printf '\0\0\200\77\0\0\0\0{\0\0\77\0\0\0\0' > scan.bin # 1 0 0.5 0
"$GELATTO" info scan.bin | head -n 1
# a folder of the same name is not in the way, as for predict
mkdir floors
"$GELATTO" info floors | head -n 1 | cut -d' ' -f 1
# the folder of a training run stands for its best model
mkdir -p runs/train1
run() { "$GELATTO" predict "$1" a.txt -o c.txt -q 2>&1 | head -n 1; }
run runs/train1
cp store/floors.safetensors runs/train1/last.safetensors
run runs/train1/
mv runs/train1/last.safetensors runs/train1/best.safetensors
run runs/train1
cd runs
"$GELATTO" eval -q train1 ../a.txt 2>&1 | grep -c folder || true
mkdir empty
"$GELATTO" info empty 2>&1 || true
# a cloud alone: a model that fits is named, by what it needs and what it has learned from
cd ..
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
"$GELATTO" train "synth:rooms rooms=1 points=3000" --runs . --name grown -q \
    --set points=256 --set levels=64,32,16,8 --set width=4 --set stem=4 --set decoder=8 --set head_hidden=4 \
    --set epochs=1 --set block_min=0 > grown.log 2>&1
cp grown1/last.safetensors store/grown.safetensors
"$GELATTO" predict rooms/Area_1/office_1.ply 2>&1 | grep "^gelatto"
"$GELATTO" predict a.txt 2>&1 | grep "^gelatto"
"$GELATTO" predict nowhere.ply 2>&1 | grep "^gelatto"
# land from the air has a shipped model
"$GELATTO" synth aerial -o land --scenes 1 --size 80 --density 3 -q
"$GELATTO" predict land/train/area_1/suburb_1.ply 2>&1 | grep "^gelatto"
# a shipped model names data of which it is reminded when it learns from reviewed points
"$GELATTO" info --card rooms | grep '^| replay '
