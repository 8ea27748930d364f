# Every command is offered by every shell's script.
names=$("$GELATTO" man --list | sed -n 's/^gelatto-//p')
[ -n "$names" ]
for shell in bash zsh fish; do
    "$GELATTO" completion "$shell" > script
    for name in $names; do
        grep -qw -- "$name" script || { echo "$shell does not know $name"; exit 1; }
    done
done
