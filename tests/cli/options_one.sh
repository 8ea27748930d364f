"$GELATTO" options lr --set lr=0.5
"$GELATTO" options lr -s lr=0.25 --
"$GELATTO" options lr -slr=0.125
"$GELATTO" options points
