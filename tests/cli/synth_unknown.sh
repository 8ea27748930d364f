"$GELATTO" synth romms -o a
