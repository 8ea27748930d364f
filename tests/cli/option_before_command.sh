"$GELATTO" --quiet version
