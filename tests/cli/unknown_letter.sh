"$GELATTO" options -x
