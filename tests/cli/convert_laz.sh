# LAS to LAZ and back gives the same bytes; the content counts, not the name.
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%.2f %.2f %.2f %d %d %d\n", i / 100, i % 300 / 10,
     sin(i / 50), i % 256, i / 7 % 256, 9 }' > a.xyz
"$GELATTO" convert a.xyz a.las -q
"$GELATTO" convert a.las a.laz -q
"$GELATTO" convert a.laz b.las -q
cmp a.las b.las && echo same
[ "$(wc -c < a.laz)" -lt "$(($(wc -c < a.las) / 3))" ] && echo small
cp a.laz c.las
"$GELATTO" convert c.las d.las -q
cmp a.las d.las && echo same
head -c 20000 a.laz > cut.laz
"$GELATTO" convert cut.laz e.las -q 2>&1 | grep -o 'cut.laz: chunk 0 (from byte'
