# What --yaml prints, --config reads back to the same.
"$GELATTO" options --set preset=small --set seed=7 --yaml > a.yaml
"$GELATTO" options --config a.yaml --yaml > b.yaml
cmp a.yaml b.yaml
grep -c "^seed: 7$" b.yaml
# --set goes over --config, wherever it stands
"$GELATTO" options --set seed=9 --config a.yaml --yaml seed
# texts that YAML would take for something else
"$GELATTO" options --set "cache=/tmp/ca: che #1" --set 'category=- "x" \' --yaml > c.yaml
"$GELATTO" options --config c.yaml --yaml > d.yaml
cmp c.yaml d.yaml
"$GELATTO" options --config c.yaml --yaml cache category inputs levels
