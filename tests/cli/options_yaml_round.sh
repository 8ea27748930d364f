# What --yaml prints, --config reads back to the same.
"$GELATTO" options --set preset=small --set seed=7 --yaml > a.yaml
"$GELATTO" options --config a.yaml --yaml > b.yaml
cmp a.yaml b.yaml
grep -c "^seed: 7$" b.yaml
# --set goes over --config, wherever it stands
"$GELATTO" options --set seed=9 --config a.yaml --yaml seed
