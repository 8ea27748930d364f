"$GELATTO" options radios
