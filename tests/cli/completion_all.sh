# Every command is offered by every shell's script, which parses where that shell is installed, and asks for
# installed models.
names=$("$GELATTO" man --list | sed -n 's/^gelatto-//p')
[ -n "$names" ]
for shell in bash zsh fish; do
    "$GELATTO" completion "$shell" > script
    for name in $names; do
        grep -qw -- "$name" script || { echo "$shell does not know $name"; exit 1; }
    done
    grep -q 'gelatto models' script || { echo "$shell does not know of models"; exit 1; }
    ! command -v "$shell" > /dev/null || "$shell" -n script
done
