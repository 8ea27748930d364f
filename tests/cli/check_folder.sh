# A folder of no known layout: check prints the YAML that describes it.
mkdir las
printf '0 0 0 0\n1 0 0 1\n' > las/a.xyz
"$GELATTO" check las/ || echo "exit $?"
printf 'trian: "las/*.xyz"\nnames: [ground, tree]\n' > set.yaml
"$GELATTO" check set.yaml || echo "exit $?"
printf 'train: *.xyz\nnames: [ground, tree]\n' > set.yaml
"$GELATTO" check set.yaml || echo "exit $?"
mkdir laser
printf 'x,y,z,classification\n0,0,0,6\n1,0,0,2\n2,0,0,2\n' > laser/a.csv
"$GELATTO" check laser || echo "exit $?"
