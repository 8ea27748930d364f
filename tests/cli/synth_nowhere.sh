"$GELATTO" synth rooms
