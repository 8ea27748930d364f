"""Labels a folder of clouds with Dask: every task is one shard.

    python dask_label.py MODEL TILES OUT [SHARDS [SCHEDULER]]

Without a SCHEDULER (as tcp://10.0.0.1:8786) it uses the cores of this machine. MODEL, TILES and OUT
must be paths that all workers see. Run it again after anything went wrong."""
import sys

import gelatto
from dask.distributed import Client, as_completed


def label_shard(model, tiles, out, i, n):
    """Runs on a worker. Returns the errors of its files."""
    gelatto.configure(threads=1)  # Dask has a worker for every core
    labelled = gelatto.label_files(gelatto.load(model), tiles, out, shard=(i, n),
                                   skip_finished=True, halo=10)
    return [f"{file.input}: {file.error}" for file in labelled if file.error]


def main():
    model, tiles, out = sys.argv[1:4]
    shards = int(sys.argv[4]) if len(sys.argv) > 4 else 64
    client = Client(sys.argv[5]) if len(sys.argv) > 5 else Client(threads_per_worker=1)
    tasks = [client.submit(label_shard, model, tiles, out, i, shards, retries=2, pure=False)
             for i in range(1, shards + 1)]
    for task in as_completed(tasks):
        for error in task.result():
            print(error, file=sys.stderr)
    found = gelatto.gather(out)
    print(f"{found['finished']} of {found['files']} files, {found['core_hours']:.2f} core-hours")
    client.close()
    return 0 if found["finished"] == found["files"] else 1


if __name__ == "__main__":
    sys.exit(main())
