# A map: north up, with a scale of its colours and of its lengths, in the unit of the file.
awk 'BEGIN { print "x,y,z,intensity,classification"
    for (i = 0; i < 4000; i++) printf "%.1f,%.1f,%.1f,%d,%d\n", i % 80, i / 80, i / 400, i % 200, i < 2000 ? 2 : 6 }' > a.csv
"$GELATTO" convert a.csv a.las -q
size() { od -An -tu1 -j16 -N8 "$1" | awk '{print ($3 * 256 + $4) " x " ($7 * 256 + $8)}'; }
"$GELATTO" render a.las --map-view --colours label,height,intensity -W 200 -H 150 -o map.png -q
size map.png
"$GELATTO" render a.las --map-view --colours height -W 200 -H 150 -o bar.png -q
"$GELATTO" render a.las --map-view --colours height -W 200 -H 150 --no-legend -o plain.png -q
size bar.png
size plain.png
# the view is that of these options
"$GELATTO" render a.las --azimuth -90 --elevation 90 --orthographic --colours height -W 200 -H 150 --no-legend -o same.png -q
cmp plain.png same.png && echo same
# the scale of an attribute does not follow one stray value
sed '2s/.*/0,0,0,60000,2/' a.csv > stray.csv
"$GELATTO" convert stray.csv stray.las -q
"$GELATTO" render a.las --map-view --colours intensity --no-legend -W 100 -H 80 -o a.png -q
"$GELATTO" render stray.las --map-view --colours intensity --no-legend -W 100 -H 80 -o b.png -q
# (an image of one dark colour would have few bytes)
[ $(($(wc -c < b.png) * 4)) -gt $(($(wc -c < a.png) * 3)) ] && echo alike
# what a map leaves no choice of
"$GELATTO" render a.las --map-view --azimuth 3 -o x.png || echo $?
"$GELATTO" render a.las --map-view --up x -o x.png || echo $?
"$GELATTO" render a.las --orthographic --fov 30 -o x.png || echo $?
