# Results that could not be written are a failure.
"$GELATTO" options > /dev/full
