"$GELATTO" synth aerial -o a --rooms 3
