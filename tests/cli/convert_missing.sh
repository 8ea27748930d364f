"$GELATTO" convert nowhere.ply out.las
