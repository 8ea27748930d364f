# What files say reaches the terminal without control characters: '?' in text, escapes in JSON.
header='{"\u001b[31mx":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}}'
printf "\\x$(printf '%02x' ${#header})"'\0\0\0\0\0\0\0%s' "$header" > a.safetensors
printf '%s\n' ply 'format ascii 1.0' 'element vertex 2' 'property float x' 'property float y' \
    'property float z' $'property float \e[31mq\x7f\xc2\x9b' end_header '0 0 0 1' '1 1 1 2' > a.ply
cp a.ply $'b\e[2J.ply'
clean() { # everything that the program prints
    "$GELATTO" "$@" > out 2>&1 || true
    LC_ALL=C grep -q $'[\e\x7f]\|\xc2\x9b' out && echo "obeyed: $*"
    cat out
}
clean info a.safetensors
GELATTO_MODELS=. clean models | grep warning
clean info a.ply | grep q
clean info -j a.ply | grep -o '"[^"]*q[^"]*"'
clean info -j a.ply $'b\e[2J.ply' | grep -o '"file": "[^"]*"'
clean info a.ply $'b\e[2J.ply' | grep '^b'
clean check $'b\e[2J.ply' --set inputs=xyz | grep -m 1 -o 'b?[^:]*'
clean predict shapes $'b\e[2J.ply' -q | tail -n 1 | cut -d : -f 1
clean predict shapes $'b\e[2J.ply' -q --csv | tail -n 1 | cut -d , -f 1
clean predict shapes a.ply --csv -o $'\e[2J' -q
clean options --set $'category=a\e[31m' category
clean options --set $'\e[31m=1'
clean options --set $'cache=a\e[31m' cache | grep -o 'cache *a[^ ]*'
