"$GELATTO" version --threads two
