# The parameter counts of the paper's network, per module; a plan; what is refused.
"$GELATTO" info --preset paper | head -n 15
"$GELATTO" info --preset paper-cls --json | sed 's/.*"parameters":\([0-9]*\).*/\1/'
"$GELATTO" info --preset tiny --set maps=bn --plan | grep -o 'plan of inference, 1 x 6144 points'
"$GELATTO" info --preset tiny --plan --train --json | grep -o '"for":"training","clouds":2,"points":6144'
! "$GELATTO" info
! "$GELATTO" info --preset huge
! "$GELATTO" info --preset tiny cloud.ply
