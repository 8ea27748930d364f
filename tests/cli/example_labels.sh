# examples/labels.c, on a cloud with labels, one without, and none at all.
labels=$(dirname "$GELATTO")/examples/labels
printf 'x y z label\n0 0 0 2\n1 0 0 2\n0 1 0 0\n1 1 1 2\n' > a.txt
"$labels" a.txt
printf '0 0 0\n1 0 0\n' > b.xyz
! "$labels" b.xyz
! "$labels" c.ply
