# Every command is offered by every shell's script, which asks for installed models; bash parses its own.
names=$("$GELATTO" man --list | sed -n 's/^gelatto-//p')
[ -n "$names" ]
for shell in bash zsh fish; do
    "$GELATTO" completion "$shell" > script
    for name in $names; do
        grep -qw -- "$name" script || { echo "$shell does not know $name"; exit 1; }
    done
    grep -q 'gelatto models' script || { echo "$shell does not know of models"; exit 1; }
    [ "$shell" != bash ] || bash -n script
done
