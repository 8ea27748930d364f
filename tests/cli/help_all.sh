# Every command explains itself, with examples, in 'help', '--help' and its manual page.
for page in $("$GELATTO" man --list); do
    name=${page#gelatto-}
    [ "$name" != gelatto ] || continue
    "$GELATTO" "$name" --help > a
    "$GELATTO" help "$name" > b
    cmp a b
    grep -q '^usage: gelatto '"$name" a
    grep -q '^examples:' a
    grep -q '^  *gelatto' a || grep -q 'gelatto ' a
    "$GELATTO" man "$name" > page
    grep -q '^\.SH OPTIONS' page
    "$GELATTO" "$name" --no-such-option 2> err && exit 1
    grep -q "there is no option --no-such-option" err
    grep -q "try 'gelatto $name --help'" err
done
"$GELATTO" man | head -n 1
