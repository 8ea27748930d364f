"$GELATTO" options --set batsh=3
