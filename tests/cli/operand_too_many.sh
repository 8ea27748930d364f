"$GELATTO" version now
