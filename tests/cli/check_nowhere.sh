"$GELATTO" check nowhere
