# The program at the top of gelatto.h is examples/arrays.c; with a model that examples/train.c made.
examples=$(dirname "$GELATTO")/examples
sed -n '/^#ifndef GELATTO_H/q; s/^ \*     //p; s/^ \*$//p' "$GELATTO_SOURCE/include/gelatto.h" > top.c
tail -n +2 "$GELATTO_SOURCE/examples/arrays.c" | diff -B top.c - && echo same
"$examples/train" model.safetensors | tail -n 1 | cut -d: -f1
"$examples/arrays" model.safetensors | cut -d: -f1
head -c 1000 model.safetensors > cut.safetensors
! "$examples/arrays" cut.safetensors
! "$examples/arrays"
