# The last preset counts, whole: the environment's is below that of a file, that below --preset, that below
# --set; keys given one by one stay.
echo 'preset: shapes' > shapes.yaml
printf 'preset: shapes\nlr: 0.01\n' > rate.yaml
"$GELATTO" info --preset paper --json > paper.json
same() { # NAME, what makes the same network
    "$GELATTO" info --json "${@:2}" | cmp - "$1.json" && echo "$1: ${*:2}"
}
same paper --config shapes.yaml --set preset=paper
same paper --config shapes.yaml --preset paper
same paper --preset shapes --set preset=paper
same paper --set preset=shapes --set preset=tiny --set preset=paper
GELATTO_PRESET=shapes same paper --preset paper
GELATTO_PRESET=paper "$GELATTO" info --config shapes.yaml | grep -x ' *preset *shapes'
"$GELATTO" info --preset tiny --set lr=0.01 --json > tiny.json
same tiny --config rate.yaml --preset tiny
