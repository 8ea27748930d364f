# Every command reports a usage error with exit 2, one line that says what is wrong, and where help is.
code() {
    local status=0
    "$GELATTO" "$@" > out 2> err || status=$?
    printf '%d  %s\n' $status "$(grep -m 1 "^gelatto" err)"
    [ "$(tail -n 1 err)" = "try 'gelatto $1 --help'" ] || echo "    no way to help: $*"
    [ ! -s out ] || echo "    printed something: $*"
}
# What all commands have in common: an option nobody knows, one that gets no value.
for command in $("$GELATTO" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    code "$command" --no-such-option | grep -v "^2  gelatto $command: there is no option --no-such" &&
        echo "    $command takes any option"
    code "$command" --threads | grep -v "^2  gelatto $command: --threads needs a value: N" &&
        echo "    $command takes no value for one"
done
code bench
code bench fly
code bench infer train
code bench infer --points 0
code check
code check a b
code completion
code completion tcsh
code convert
code convert a.ply
code convert a.ply b.ply c.ply
code convert a.ply b.ply --subsample 0
code convert a.ply b.ply --scale x
code doctor now
code eval
code eval model
code eval model data --seeds 0
code eval model data --keep 0
code eval model data --split other
code explain
code explain model cloud
code explain model cloud other -o trace
code explain model cloud --kind nothing --image a.png
code explain model cloud --kind levels -o trace
code explain model cloud --frames 3 -o trace
code explain model cloud --json -o trace
code explain model cloud --channel 3 -o trace
code explain model cloud --channel 3 --correlation
code explain model cloud --channel 3 --kind levels --image a.png
code help predict train
code info
code info a.ply --preset tiny
code info --preset tiny --classes 1
printf '0 0 0\n1 1 1\n' > a.xyz
code info a.xyz --card
code info a.xyz --plan
code info a.xyz --train
code info a.xyz --points 5
code info a.xyz --clouds 5
code info rooms --classes 5
code info a.xyz --classes 5
code info rooms --columns x
code info rooms --points 100
code info rooms --clouds 2
code info rooms --card --plan
code info rooms --card --train
code info rooms --card --json
code info --preset tiny --columns x,y,z
code info --preset tiny --points 100
code man predict train
code models all
code options --set lr
code options no_such_key
code predict
code predict model
code predict model cloud --overlap 99 -o a.ply
code predict model cloud --max-memory lots -o a.ply
code predict parts a.xyz --overlap 3 -o a.ply
code predict rooms a.xyz --category chair -o a.ply
code predict shapes a.xyz --category chair
code predict parts a.xyz --category dragon -o a.ply
code predict shapes a.xyz --overlap 3
code predict shapes a.xyz --votes
code render
code render a.ply b.ply
code render a.ply --width 0 -o a.png
code report
code report a.ply
code report a.ply -o b.ply
code synth
code synth planets
code synth rooms
code synth rooms --rooms 0 -o a
code train
code train a b
code train a --steps -1
code train a --json
code train a --force
code train a --kfold --force
code train a --resume b --name c
code train a --lr 1
code train --resume b --runs c
code version now
# options that do not go together, and numbers that nothing takes
code ablate 'synth:rooms rooms=x' --grid heads
code bench infer --preset tiny --set features_per_head=7
code bench train --preset tiny --set levels=1,2,3,4
code check 'synth:rooms rooms=x'
code check 'synth:rooms points=99999999'
code explain rooms a.xyz --point 5 -o trace
code eval rooms a.xyz --set block=2 --split val
code render a.xyz --colours height,,height -o a.png
code info --preset tiny --set levels=1,2,3,4
code info --preset tiny --set features_per_head=7
code info --preset tiny --set path=fused # that is a choice no more
code synth rooms -o z --seed 99999999999999999999
code synth shapes -o z --seed 99999999999999999999
code train 'synth:rooms rooms=1 points=1100' --set features_per_head=7
code train 'synth:rooms rooms=1 points=1100' --set levels=1,2,3,4
code train 'synth:rooms rooms=1 points=1100' --set task=classify
ls
