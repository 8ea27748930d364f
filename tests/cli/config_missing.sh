"$GELATTO" options --config nowhere.yaml
