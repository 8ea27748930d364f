# What a training run that cannot continue says: no checkpoint to resume from, data that is elsewhere; and with a
# stream closed it does not write into its own files.
small=(--set points=256 --set block_min=64 --set levels=64 --set k=6 --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --quiet)
"$GELATTO" synth rooms -o rooms --rooms 1 --points 700 -q
# room for what the thread sanitizer keeps in files, and for no checkpoint (709 KiB)
(ulimit -f 600 && "$GELATTO" train rooms "${small[@]}" --save 1 --steps 2) 2> err && exit 1
grep hint err
grep -c 'resume' err || true
"$GELATTO" train rooms "${small[@]}" --steps 2 --name part
mkdir elsewhere
(cd elsewhere && "$GELATTO" train --resume ../runs/part1 -q 2>&1) || echo $?
(cd elsewhere && "$GELATTO" train ../rooms --resume ../runs/part1 --steps 3 -q) && echo 'resumes'
"$GELATTO" info --card runs/part1/last.safetensors | grep chosen_by
"$GELATTO" info --card runs/part1/best.safetensors | grep chosen_by
"$GELATTO" train rooms "${small[@]}" --steps 1 --name closed --set lr=1e-5 2>&-
wc -c < runs/closed1/.lock
"$GELATTO" train nowhere 2>&- || echo $?
"$GELATTO" version >&- 2> err || cat err
