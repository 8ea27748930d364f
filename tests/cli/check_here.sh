# ModelNet by the list of its classes, also from within its folder.
mkdir -p net/chair net/bed
printf 'chair\nbed\n' > net/modelnet10_shape_names.txt
printf 'chair_0001\nbed_0001\n' > net/modelnet10_train.txt
printf 'chair_0002\n' > net/modelnet10_test.txt
i=0
for shape in chair/chair_0001 chair/chair_0002 bed/bed_0001; do
    printf '0,0,0,1,0,0\n1,0,0,1,0,0\n0,1,%d,0,0,1\n' $((i += 1)) > net/$shape.txt
done
"$GELATTO" check net/modelnet10_shape_names.txt > there
cd net
"$GELATTO" check modelnet10_shape_names.txt > ../here
cd ..
head -n 1 here
diff <(tail -n +2 there) <(tail -n +2 here) && echo same
