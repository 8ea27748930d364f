# What cannot be done is refused before anything is read, with 2; an input is not overwritten unasked.
code() { "$GELATTO" convert "$@" > out 2> err && echo 0 || echo $?; head -n 1 err; }
code none.ply b.ply --crop 1,2
code none.ply b.ply --shift 1,2,3,4
code none.ply b.ply --map foo
code none.ply b.foo | cut -c 1-60
code none.ply b.laz -e ascii
code none.ply b.off
for to in b.npz b.npy b.las b.bin; do
    code none.ply $to -e ascii
done
code none.ply b.xyz -e binary
code none.ply b.ply -e compressed
code none.ply m.safetensors --crop 0,0,0,1,1,1
code none.ply b.ply --half
printf '0 0 0\n1 2 3\n' > a.xyz
ln -s a.xyz same.xyz
code a.xyz a.xyz --subsample 1
code a.xyz ./same.xyz --subsample 1
wc -l < a.xyz
code a.xyz a.xyz --subsample 1 --overwrite -q
wc -l < a.xyz
code a.xyz B.XYZ -e ascii -q
code a.xyz c.xyz --sample 1
ls c.xyz 2> /dev/null || echo none
