# Every preset that is listed can be set, and says its name.
"$GELATTO" options --presets | while read -r name _; do
    [ "$("$GELATTO" options --set preset="$name" --yaml preset | tail -n 1)" = "preset: $name" ]
done
"$GELATTO" options --presets | grep -c '^paper '
"$GELATTO" options --presets --json | grep -o '{"name": "paper", "summary": "[A-Z]*[a-z]*' | cut -c 1-30
