"$GELATTO" completion tcsh
