# Data that is there is not written over.
"$GELATTO" synth rooms -o a --rooms 1 --points 500 --quiet
echo mine > a/Area_1/office_1.ply
"$GELATTO" synth rooms -o a --rooms 1 --points 500 --quiet || cat a/Area_1/office_1.ply
"$GELATTO" synth rooms -o a --rooms 1 --points 500 --quiet --replace && head -c 4 a/Area_1/office_1.ply
