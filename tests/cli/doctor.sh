# Version, chosen kernels and a product without wrong elements; a forced table is obeyed.
# labels: full
"$GELATTO" doctor > text
grep -q '^version  *gelatto ' text
grep -q ': chosen$' text
grep -q ' 0 of 50000 elements of a product wrong' text
GELATTO_CPU=ref "$GELATTO" doctor | grep -c 'ref: chosen'
GELATTO_CPU=abacus "$GELATTO" doctor 2>talk | grep -o 'GELATTO_CPU=abacus.*: there are ref'
grep -o 'GELATTO_CPU=abacus cannot run here: .* is taken; there are ref' talk |
    sed 's/: .* is/: X is/'
"$GELATTO" doctor --threads 3 | grep '^threads'
"$GELATTO" doctor --json | grep -c '"error": true' || true
GELATTO_THREADS=many "$GELATTO" doctor 2>&1 || GELATTO_THREADS=many "$GELATTO" doctor -t 2 | grep '^threads'
