# A cloud that does not fit by its header is refused before it is read; the message names the limit.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
{
    printf 'ply\nformat binary_little_endian 1.0\nelement vertex 20000000\n'
    printf 'property float x\nproperty float y\nproperty float z\nproperty uchar red\n'
    printf 'property uchar green\nproperty uchar blue\nend_header\n'
} > big.ply
truncate -s 300000300 big.ply
code() { "$GELATTO" predict -q m.safetensors big.ply -o out.ply --max-memory "$1" 2> err && echo 0 || echo $?; cat err; }
code 100M
code 600M
test ! -e out.ply
# The same with a halo: neither its box is measured, nor is it seen from the file beside it.
printf 'x y z red green blue\n0 0 0 1 2 3\n1 0 0 1 2 3\n' > small.txt
"$GELATTO" predict -q m.safetensors small.txt big.ply -o out --halo 1 --max-memory 100M 2>&1 || true
ls out
