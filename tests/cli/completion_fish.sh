# The script of fish parses.
command -v fish > /dev/null || { echo 'fish is not installed' >&2; exit 77; }
"$GELATTO" completion fish > script
fish -n script
