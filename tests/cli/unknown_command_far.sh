"$GELATTO" zzzzzz
