# Wrong use is 2, before anything is read or written; what fails is 1 and names the file, and does
# not stop the others.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
printf '0 0 0\n1 0 0\n0 1 0\n' > grey.xyz
printf 'x y z red green blue\n0 0 0 9 9 9\n1 0 0 250 9 9\n0 1 0 9 9 9\n' > a.txt
code() { "$GELATTO" predict "$@" > out 2> err && echo 0 || echo $?; cut -c 1-100 err; }
code m.safetensors a.txt
code m.safetensors
code m.safetensors a.txt -o b.txt --max-memory lots
code m.safetensors a.txt -o b.txt --overlap 99
code m.safetensors a.txt -o b.txt --spacing -1
code parts a.txt -o b.txt --spacing 1
code m.safetensors a.txt -o a.txt
code m.safetensors a.txt -o b.txt --max-memory 1M
code m.safetensors a.txt -o b.txt --category chair
code m.safetensors none.txt -o b.txt
code nosuchmodel a.txt -o b.txt
GELATTO_MODELS=. code n a.txt -o b.txt
code m.safetensors grey.xyz -o b.txt
code m.safetensors grey.xyz a.txt -o both -q
ls both
# no output that cannot be written; names in capitals are names too
code m.safetensors a.txt -o b.foo
code m.safetensors a.txt -o b.off
printf '3\n0 0 0 7 9 9 9\n1 0 0 7 250 9 9\n0 1 0 7 9 9 9\n' > c.pts
code m.safetensors a.txt -o B.PTS
code m.safetensors c.pts -o pts -q
ls pts
cp a.txt UP.TXT
cp a.txt a.xyzrgb
code m.safetensors UP.TXT a.xyzrgb -o up -q
ls up
# no output over an input, nor one for two inputs
mkdir -p d1 d2 d3/d1
tee d1/a.txt d2/a.txt d3/d1/b.txt < a.txt > d1/b.txt
cp a.txt kept.txt
code m.safetensors d1/a.txt a.txt -o .
code m.safetensors d3 d1/b.txt -o . --overwrite
code m.safetensors d1/a.txt d2/a.txt -o twice
code m.safetensors d1 'd1/*.txt' -o twice
code m.safetensors d1/a.txt d2/a.txt -o d1/ --overwrite
cmp a.txt kept.txt
cmp d1/a.txt kept.txt
cmp d1/b.txt kept.txt
test ! -e twice
code m.safetensors d1/a.txt -o d1/ --overwrite -q
head -n 1 d1/a.txt
# a missing folder is reported before the labelling, not after it (the model would fail on it)
code m.safetensors grey.xyz -o nodir/b.txt
code m.safetensors a.txt -o a.txt/b.txt
# one that may be made is known by its last name alone
code m.safetensors a.txt -o ./lab -q
code m.safetensors a.txt -o ./../$(basename "$PWD")/lab2 -q
mkdir lab.d
code m.safetensors a.txt -o lab.d -q
ls lab lab2 lab.d
# nor is a name that cannot be a folder found out after the labelling
echo mine > plain
code m.safetensors a.txt -o plain
code m.safetensors d1 -o a.txt
code m.safetensors a.txt -o -
cat plain
# operands in the wrong order
code a.txt m.safetensors -o b.txt
"$GELATTO" eval a.txt m.safetensors 2>&1 || echo $?
"$GELATTO" explain a.txt m.safetensors --image b.png 2>&1 || echo $?
code m.safetensors a.txt -o b.txt --max-memory 1K
"$GELATTO" predict m.safetensors grey.xyz -o b.txt 2>&1 || echo $?
{ echo x y z label && awk '{print $0, 0}' grey.xyz; } > grey-labelled.xyz
"$GELATTO" explain m.safetensors grey.xyz --image b.png 2>&1 || echo $?
"$GELATTO" eval m.safetensors grey-labelled.xyz 2>&1 || echo $?
