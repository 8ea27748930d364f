#!/usr/bin/env bash
# Labels a folder of clouds with GNU parallel, on this machine or on several that share a folder.
#   examples/cluster/parallel.sh MODEL TILES OUT [SHARDS]        64 shards without SHARDS
# Variables: JOBS (processes at a time, default: one for every core of this machine), HOSTS (a file
# of machines for parallel --sshloginfile; default: this one), HALO (metres, default 10).
# Run it again after anything went wrong: finished files are passed over.
set -euo pipefail
model=$1 tiles=$2 out=$3 shards=${4:-64}
hosts=()
[ -z "${HOSTS:-}" ] || hosts=(--sshloginfile "$HOSTS" --workdir "$PWD")
mkdir -p "$out"
seq "$shards" | parallel --quote --jobs "${JOBS:-100%}" "${hosts[@]}" --retries 2 --halt soon,fail=20% \
    "${GELATTO:-gelatto}" predict "$model" "$tiles" -o "$out" --shard "{}/$shards" --skip-finished \
    --halo "${HALO:-10}" --threads 1 --quiet --csv >/dev/null
"${GELATTO:-gelatto}" gather "$out"
