# A letter means the same option in every command; what prints JSON has -j.
for command in $("$GELATTO" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    "$GELATTO" "$command" --help | grep -oE '^  (-., |    )--[a-z]+'
done | sort -u | awk '$1 ~ /^-.,$/ { if (seen[$1]++) print "two meanings: " $0 } $1 == "--json" { print "no letter: --json" }'
echo done
