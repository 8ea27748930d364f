# A broken input leaves what was there.
printf 'keep me' > out.ply
printf 'ply\nformat ascii 1.0\nelement vertex 9\nproperty float x\nend_header\n1\n' > bad.ply
"$GELATTO" convert bad.ply out.ply || cat out.ply
