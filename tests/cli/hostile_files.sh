# Files of every kind that cannot be read, whatever their name says: exit code 1, a message that names the file,
# at once, and no output. HDF5 by content that broke libhdf5 or stores its data in other files; pipes and devices.
corpus=$GELATTO_SOURCE/tests/fuzz/corpus
secret=$(head -c 16 /etc/passwd)
for name in found_segv found_scan found_leak refused_external refused_virtual refused_filter huge.h5; do
    cp "$corpus/h5/$name" "h5_${name%.h5}.ply"
done
mkfifo other.bin # where refused_external keeps its data: whoever opens it waits
cp "$corpus/h5/modelnet.h5" other.h5 # and refused_virtual
mkfifo pipe.ply
ln -s /dev/zero device.ply
mkdir folder.ply
for format in ply pcd las npy npz obj off ptx h5 bin xyz; do
    printf 'ply\0\1\2no such format' > "broken.$format"
done
printf '\x89HDF\r\n\x1a\n' > cut.h5
printf 'PK\5\6' > cut.npz
printf 'LASF' > cut.las
printf 'a: [\n' > broken.yaml
printf '\377\377\377\377\377\377\377\177{}' > broken.safetensors
printf '0 0 0\n1 0 0\n' > good.xyz
bad=0
count=0
refused() { # FILE, then a command with it
    local file=$1 status=0
    shift
    timeout 20 "$GELATTO" "$@" -q > out 2> err < /dev/null || status=$?
    count=$((count + 1))
    if [ $status -ne 1 ] || ! grep -qF "$file" err || [ -e o.ply ] || [ -e o.png ] || [ -e o.html ]; then
        echo "$status: $*: $(head -n 1 err)"
        bad=1
    fi
    ! grep -qF "$secret" out err || echo "leaked: $*"
}
for file in h5_* pipe.ply device.ply folder.ply broken.[a-x]* cut.*; do
    case $file in
    *.yaml)
        refused $file options --config $file
        refused $file check $file
        refused $file ablate synth:rooms --grid $file
        ;;
    *.safetensors)
        refused $file info $file
        refused $file predict $file good.xyz -o o.ply
        refused $file explain $file good.xyz -o o.safetensors
        ;;
    *)
        [ $file = folder.ply ] || refused $file info $file
        refused $file convert $file o.ply
        refused $file render $file -o o.png
        refused $file report $file -o o.html
        ;;
    esac
done
[ $bad -eq 0 ] && echo "all refused, $((count > 80))"
