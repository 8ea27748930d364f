# The script of zsh parses.
command -v zsh > /dev/null || { echo 'zsh is not installed' >&2; exit 77; }
"$GELATTO" completion zsh > script
zsh -n script
