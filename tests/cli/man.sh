# Every page is roff; that of the program names all that the environment sets.
for page in $("$GELATTO" man --list); do
    command=${page#gelatto}
    "$GELATTO" man ${command#-} | head -n 1 | grep -q "^.TH ${page^^} 1" || echo "no page: $page"
done
"$GELATTO" man | sed -n '/^.SH ENVIRONMENT/,/^.SH EXIT/s/^\\fB\([A-Z_]*\)\\fR/\1/p'
# what a command's page refers to
for command in check train eval predict; do
    "$GELATTO" man $command | sed -n '/^.SH SEE ALSO/,$s,^/.*/gelatto/,'$command': ,p'
done
"$GELATTO" man | sed -n '/^.SH SEE ALSO/,$s,^/.*/gelatto/,,p'
