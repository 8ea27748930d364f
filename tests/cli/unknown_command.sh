"$GELATTO" complteion
