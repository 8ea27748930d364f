"$GELATTO" completion
