# Every command that is given what it cannot use exits 1 and names the file and the reason.
printf 'ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nend_header\n1\n' > broken.ply
printf 'this is no model, and it is longer than a header' > broken.safetensors
printf '0 0 0\n1 0 0\n0 1 0\n' > grey.xyz
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
code() {
    local status=0
    "$GELATTO" "$@" -q > out 2> err || status=$?
    printf '%d  %s\n' $status "$(head -n 1 err | cut -c 1-110)"
    grep -q "$file" err || echo "    does not name $file: $*"
}
for file in missing.ply broken.ply; do
    code info $file
    code convert $file out.ply
    code render $file -o out.png
    code predict m.safetensors $file -o out.ply
    code explain m.safetensors $file -o out.safetensors
    code eval m.safetensors $file
    code report $file -o out.html
done
for file in missing.safetensors broken.safetensors; do
    code info $file
    code predict $file grey.xyz -o out.ply
    code explain $file grey.xyz -o out.safetensors
    code eval $file grey.xyz
    code train synth:rooms --init $file --runs runs
done
file=missing
code check missing
code train missing --runs runs
code train --resume missing
code report missing -o out.html
ls out.* 2> /dev/null || echo none
