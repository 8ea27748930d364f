# The folder of a run opens as its report.
mkdir run
echo 'preset: tiny' > run/config.yaml
printf 'step,epoch,loss,metric,miou,macc,oa,lr,seconds\n2,1,3,0.25,0.25,0.3,0.5,0.001,60\n' > run/results.csv
"$GELATTO" view run -o a.html -q && grep -c '<svg' a.html
"$GELATTO" report run -o b.html -q
cmp a.html b.html && echo same
code() { "$GELATTO" view "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code run --points 5 -o c.html
mkdir empty
code empty -o c.html
