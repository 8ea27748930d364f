"$GELATTO" --version && "$GELATTO" version
