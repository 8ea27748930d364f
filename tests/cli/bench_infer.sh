# Times of a small network: the rows and the JSON are there.
"$GELATTO" bench infer --preset tiny --points 512 --repeats 1 --threads 1 | cut -f1
"$GELATTO" bench train --preset tiny --points 256 --clouds 1 --repeats 1 --threads 1 --json | grep -o '"bench": "train", "clouds": 1, "points": 256'
! "$GELATTO" bench learn
