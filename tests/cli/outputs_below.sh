# A folder of outputs below that of the inputs: what an interrupted run left there is no input.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
mkdir -p tiles/deep
for name in a b deep/c; do
    awk 'BEGIN {print "x y z red green blue"; for (i = 0; i < 300; i++) print i % 17 / 9, i % 13 / 9, i % 7 / 9, i % 251, 9, 9}' > tiles/$name.txt
done
predict() { "$GELATTO" predict m.safetensors "$@" --csv 2>&1 > table | grep -v points/s; cut -d, -f 1 table; }
predict tiles -o tiles/labelled --skip-finished
rm tiles/labelled/b.txt
predict tiles -o tiles/labelled --skip-finished
predict 'tiles/*/*.txt' -o ./tiles/labelled/ --skip-finished
(cd tiles && ln -s ../m.safetensors && predict . -o labelled --skip-finished)
find tiles/labelled -name '*.txt' | sort
# named by the user, they are inputs
predict tiles/labelled/a.txt tiles/b.txt -o tiles/labelled | cut -d : -f 2
mkdir only && mv tiles/labelled only
predict only -o only/labelled
# a pattern enters only folders that it can match: this one leads beyond the longest path
mkdir loop && cp only/labelled/a.txt loop/a.txt
python3 -c 'import os
os.chdir("loop")
for _ in range(20):
    os.mkdir("d" * 250)
    os.chdir("d" * 250)'
predict 'loop/*.txt' -o out
predict 'l*/a.txt' -o out
