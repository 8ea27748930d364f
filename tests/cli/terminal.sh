# On a terminal: a result begins on a line of its own, a line that is rewritten never wraps, and a terminal
# that cannot rewrite gets plain lines.
command -v script > /dev/null || { echo 'script is not installed' >&2; exit 77; }
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 60000 -q
unset COLUMNS
on_terminal() { # TERM, columns, command: what the terminal gets, a line per rewriting
    TERM=$1 script -qec "stty cols $2; $3" /dev/null < /dev/null | tr -d '\r' | sed 's/\x1b\[K/\n/g'
}
predict="$GELATTO predict m.safetensors rooms/Area_1/office_1.ply -o p.ply -t 1"
on_terminal xterm 80 "$predict" > lines
grep -q '^label points \[' lines && echo 'a bar'
grep -c 'office_1.ply$' lines
grep '/s.*office_1.ply$' lines || echo 'not behind the bar'
train="$GELATTO train 'synth:rooms rooms=1 points=1100' --steps 2 --set points=256 --set block_min=64
    --set levels=64 --set k=6 --set stem=8 --set width=8 --set decoder=8 --set head_hidden=8 --set epochs=1"
on_terminal xterm 60 "${train//$'\n'/}" | grep '^epoch 1/1 step 1' | awk '{print length($0)}'
on_terminal dumb 60 "${train//$'\n'/}" | grep '^epoch 1/1 step 1' | grep -o 'left [0-9:]*$' | cut -c 1-5
TERM=dumb script -qec "$predict" /dev/null < /dev/null | grep -c $'\x1b' || true
