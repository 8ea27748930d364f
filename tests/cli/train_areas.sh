# Folds are the areas that are there, whatever their numbers.
small=(--set points=128 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8
    --set head_hidden=8 --set epochs=1 --set inputs=xyz --quiet --steps 1)
for area in 0 7 12; do
    mkdir -p rooms/Area_$area
    awk -v a=$area 'BEGIN {print "x y z label"; for (i = 0; i < 400; i++) print (i + a) % 20 / 10, i * 7 % 19 / 10, i % 3 / 10, i % 2}' > rooms/Area_$area/a.txt
done
"$GELATTO" train rooms "${small[@]}" --kfold --name folds > table
grep -o 'Area [0-9]* ([0-9]* clouds\?)' table
ls -d runs/folds/area*
"$GELATTO" train rooms "${small[@]}" --set area=7 --name seven
"$GELATTO" train rooms/Area_7 "${small[@]}" --kfold --name one 2> err && exit 1
cat err
