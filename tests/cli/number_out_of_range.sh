"$GELATTO" version --threads 0
