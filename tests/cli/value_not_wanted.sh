"$GELATTO" options --json=yes
