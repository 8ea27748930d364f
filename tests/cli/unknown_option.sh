"$GELATTO" options --presetz
