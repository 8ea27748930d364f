"$GELATTO" options --set lr
