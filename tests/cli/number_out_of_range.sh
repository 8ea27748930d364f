"$GELATTO" version --threads 1025
