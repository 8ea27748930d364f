"$GELATTO" help
