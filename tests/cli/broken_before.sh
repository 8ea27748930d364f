# Files that broke the program once, with every command that reads clouds: the exit code, no report of a
# sanitizer, memory in proportion to the file. HDF5 under another name (crash, over-read, storage in a
# system file), coordinates at the ends of the number range, an archive that unpacks to a thousand times its size.
# labels: full
corpus=$GELATTO_SOURCE/tests/fuzz/corpus/h5
for name in segv scan leak; do
    cp "$corpus/found_$name" $name.ply
done
printf '0 0 0\n3e38 0 0\n0 3e38 0\n0 0 3e38\n1 1 1\n' > ends.xyz
python3 - << 'END'
import struct, zipfile
def npy(shape, data):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
    head = head.ljust(117) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data
with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("xyz.npy", npy((3, 3), struct.pack("<9f", *range(9))))
    with z.open("junk.npy", "w", force_zip64=True) as member:
        member.write(npy((3, 60000000), b""))
        for _ in range(720):
            member.write(bytes(1000000))
END
[ "$(stat -c %s bomb.npz)" -lt 800000 ] && echo 'a bomb of 720 MB'
cat > measure.py << 'END'
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, timeout=60)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(done.returncode, "" if peak < 300000 else f"{peak} KB")
END
for file in segv.ply scan.ply leak.ply ends.xyz bomb.npz; do
    codes=
    for words in "info $file" "convert $file o.npy" "render $file -o o.png -W 64 -H 48" "report $file -o o.html"; do
        # shellcheck disable=SC2086  # one word per argument
        codes+=$(python3 measure.py "$GELATTO" $words -q 2> err | tail -n 1)
        ! grep -E 'runtime error|Sanitizer' err || true
        ! grep -q "$(head -c 16 /etc/passwd)" o.npy 2> /dev/null || echo 'leaked'
        rm -f o.*
    done
    echo "$file $codes"
done
