# Results that could not be written are a failure.
[ -w /dev/full ] || { echo 'there is no /dev/full' >&2; exit 77; }
"$GELATTO" options > /dev/full
