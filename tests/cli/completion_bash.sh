# The script is loaded and asked like bash asks it.
eval "$("$GELATTO" completion bash)"
ask() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _gelatto || true
    echo "${COMPREPLY[@]:-}"
}
ask gelatto comp
ask gelatto options --pre
ask gelatto version --qu
# values: presets, keys of --set and their values, grids, models, words of an operand
gelatto() { "$GELATTO" "$@"; }
mkdir models
export GELATTO_MODELS=$PWD/models
"$(dirname "$GELATTO")/examples/train" models/mine_too.safetensors > train.log
ask gelatto train --preset sm
ask gelatto train -p ti
ask gelatto train --preset = ti
ask gelatto train data --set augment.ro
ask gelatto train data --set task =
ask gelatto train data --set task = pa
ask gelatto ablate data --grid aux
ask gelatto predict mine
ask gelatto train --init mine
ask gelatto predict mine_too mine
ask gelatto synth ''
ask gelatto completion f
ask gelatto help comp
ask gelatto man comp
ask gelatto convert a b --encoding as
ask gelatto convert a b --up ''
