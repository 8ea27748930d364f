GELATTO_LR=0.75 "$GELATTO" options --yaml lr
