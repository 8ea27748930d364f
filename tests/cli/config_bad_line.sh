printf "lr: 0.1\nbatsh: 3\n" > bad.yaml
"$GELATTO" options --config bad.yaml
