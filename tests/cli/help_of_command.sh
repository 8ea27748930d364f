"$GELATTO" help options
