#!/usr/bin/env bash
# Labels a folder of clouds as a Slurm array: every task is one shard.
#   sbatch --array=1-64 examples/cluster/slurm.sh MODEL TILES OUT
#   sbatch --dependency=afterany:JOB --wrap 'gelatto gather OUT'
# MODEL, TILES and OUT must be paths that all nodes see. Submit it again after anything went wrong:
# finished files are passed over. A task that was preempted starts again by itself (--requeue).
#SBATCH --job-name=gelatto
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=04:00:00
#SBATCH --requeue
set -euo pipefail
model=$1 tiles=$2 out=$3
srun "${GELATTO:-gelatto}" predict "$model" "$tiles" -o "$out" \
    --shard "$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))/$SLURM_ARRAY_TASK_COUNT" \
    --skip-finished --halo "${HALO:-10}" --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet --csv
