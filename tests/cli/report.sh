# One page with everything in it, the same bytes again; refused without labels.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
"$GELATTO" predict -q m.safetensors rooms/Area_1/office_1.ply -o a.ply > table
"$GELATTO" report -q a.ply -o a.html --title 'A <b> & c'
"$GELATTO" report -q a.ply -o b.html --title 'A <b> & c' -t 1
cmp a.html b.html && echo same
grep -c 'src="data:image/png;base64,iVBORw0KGgo' a.html
grep -o '<title>.*</title>' a.html
grep -o '</span>floor</td>\|<h[23]>[A-Za-z ]*</h[23]>\|mIoU <b>\|</html>' a.html
grep -cE '(src|href)="http' a.html || true
ls *.png 2> /dev/null && exit 1
# labels that nobody predicted are not called so, and classes that the cloud has not are left out
"$GELATTO" convert -q rooms/Area_2/office_1.ply few.ply --map 4:3,5:3 2> warnings
"$GELATTO" report -q few.ply -o few.html
grep -o '<th>class</th><th>[a-z]*</th>\|colours and [a-z]*' few.html
grep -c '</span>' few.html
printf '0 0 0\n1 0 0\n' > grey.xyz
code() { "$GELATTO" report "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code grey.xyz -o c.html
code a.ply
code none.ply -o c.html
code a.ply -o nowhere/c.html
ls c.html 2> /dev/null || echo none
