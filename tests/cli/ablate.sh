# A grid of two rows and two seeds, killed in the middle of a write and given again: the table of an
# unbroken run. Without the data it says what to fetch.
cat > toy.yaml <<'YAML'
title: Toy
steps: 2
seeds: 2
rows:
  - {name: one, set: {heads: geometric}, paper: {miou: 66.3, macc: 72.0}}
  - {name: two, set: {heads: both}, paper: {miou: 69.2, macc: 75.9}}
YAML
small=(--set points=256 --set block_min=64 --set levels=64 --set k=8 --set neighbours=knn --set stem=8 --set width=8
    --set decoder=8 --set head_hidden=8 --set epochs=1 --set subset=2 --save 1 --threads 1 --quiet)
data='synth:rooms rooms=1 points=700'
"$GELATTO" ablate "$data" --grid toy.yaml "${small[@]}" > whole.md
sed 's/[0-9][0-9]*\.[0-9][0-9] ± [0-9]*\.[0-9][0-9]/N/g; s/[01]\.[0-9][0-9][0-9] |/S |/g' whole.md
LD_PRELOAD=$(dirname "$GELATTO")/tests/libpause.so PAUSE_AT=write:20:60000 "$GELATTO" ablate "$data" \
    --grid toy.yaml "${small[@]}" --name killed > /dev/null 2>&1 &
pid=$!
for _ in $(seq 2000); do
    read -r call _ < /proc/$pid/syscall 2>/dev/null || break
    case $call in 230 | 35 | 115 | 101) break ;; esac
    sleep 0.01
done
kill -9 $pid && echo killed
wait $pid || true
find runs/killed -name score.json | wc -l
"$GELATTO" ablate "$data" --grid toy.yaml "${small[@]}" --name killed | cmp - whole.md && echo same
"$GELATTO" ablate "$data" --grid toy.yaml "${small[@]}" --json | grep -o '"seeds":[0-9]*'
"$GELATTO" ablate S3DIS --grid heads --quiet 2>&1 | grep -o 'there is no such .*Stanford3dDataset' || true
"$GELATTO" ablate "$data" --grid toy.yaml "${small[@]}" --split val --name chosen | grep -o 'on the val split'
"$GELATTO" ablate "$data" --grid toy.yaml "${small[@]}" --split val --name killed 2>&1 | grep -o 'with split = test, now it is val'
# a run that was not begun may be asked for anew
! "$GELATTO" ablate "$data" --grid toy.yaml "${small[@]}" --seeds 1 --name anew --init mistyped
"$GELATTO" ablate "$data" --grid toy.yaml "${small[@]}" --seeds 1 --name anew | grep -c '^| one | 1 |'
