"$GELATTO" options --set
