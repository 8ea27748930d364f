# Wrong use is 2; what fails is 1 and names the file, and does not stop the others.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
printf '0 0 0\n1 0 0\n0 1 0\n' > grey.xyz
printf 'x y z red green blue\n0 0 0 9 9 9\n1 0 0 250 9 9\n0 1 0 9 9 9\n' > a.txt
code() { "$GELATTO" predict "$@" > out 2> err && echo 0 || echo $?; cut -c 1-100 err; }
code m.safetensors a.txt
code m.safetensors
code m.safetensors a.txt -o b.txt --max-memory lots
code m.safetensors a.txt -o b.txt --overlap 99
code m.safetensors a.txt -o a.txt
code m.safetensors a.txt -o b.txt --max-memory 1M
code m.safetensors a.txt -o b.txt --category chair
code m.safetensors none.txt -o b.txt
code nosuchmodel a.txt -o b.txt
GELATTO_MODELS=. code n a.txt -o b.txt
code m.safetensors grey.xyz -o b.txt
code m.safetensors grey.xyz a.txt -o both -q
ls both
