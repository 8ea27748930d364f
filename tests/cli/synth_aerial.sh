# Train and test areas and aerial.yaml; the same bytes with any number of threads.
"$GELATTO" synth aerial -o a --scenes 1 --size 30 --density 2 --quiet --threads 1
"$GELATTO" synth aerial -o b --scenes 1 --size 30 --density 2 --quiet --threads 3
diff -r a b && echo same
"$GELATTO" synth aerial -o c --scenes 1 --size 30 --density 2 --seed 2 --format las --quiet
find a c -type f | sort
cat a/aerial.yaml
"$GELATTO" synth aerial -o d --scenes 1 --size 30 --density 2 --seed 2 --format laz --quiet
for file in c/*/*/*.las; do
    laz=d${file#c}
    "$GELATTO" convert "${laz%.las}.laz" back.las -q
    cmp "$file" back.las || echo "$file differs"
done
