# Data that is there is not written over; what replaces it leaves nothing of it, and nobody else's files go.
"$GELATTO" synth rooms -o a --rooms 1 --points 500 --quiet
echo mine > a/Area_1/office_1.ply
"$GELATTO" synth rooms -o a --rooms 1 --points 500 --quiet || cat a/Area_1/office_1.ply
"$GELATTO" synth rooms -o a --rooms 1 --points 500 --quiet --replace && head -c 4 a/Area_1/office_1.ply
"$GELATTO" synth rooms -o a --rooms 7 --points 100 --quiet --replace
touch a/Area_2/office_mine.ply a/Area_2/office_1.txt a/Area_2/kitchen_1.ply
"$GELATTO" synth rooms -o a --rooms 2 --points 100 --quiet --replace
ls a/Area_1 a/Area_2
"$GELATTO" synth shapes -o s --shapes 10 --points 50 --quiet
"$GELATTO" synth shapes -o s --shapes 3 --points 50 --quiet --replace
find s -name 'chair*.ply' | sort
