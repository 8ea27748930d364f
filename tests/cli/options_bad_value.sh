"$GELATTO" options --set maps=cubic
