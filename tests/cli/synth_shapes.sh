"$GELATTO" synth shapes -o s --shapes 3 --points 100 --quiet
find s -name '*.ply' | wc -l
ls s s/train | head -9
head -7 s/shapes.yaml | tail -6
