# The neighbourhoods of a pass as a graph: GraphML that an XML reader takes, NPZ with known names.
"$(dirname "$GELATTO")/examples/train" m.safetensors > train.log
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 -q
room=rooms/Area_1/office_1.ply
"$GELATTO" explain m.safetensors $room -q --graph g.graphml --level 4 --block 2
"$GELATTO" explain m.safetensors $room -q --graph g.npz
"$GELATTO" explain m.safetensors $room -q --graph again.npz -t 3
cmp g.npz again.npz && echo same
python3 - << 'end'
import xml.etree.ElementTree as tree
import zipfile
ns = "{http://graphml.graphdrawing.org/xmlns}"
graph = tree.parse("g.graphml").getroot().find(ns + "graph")
nodes, edges = graph.findall(ns + "node"), graph.findall(ns + "edge")
ids = {node.get("id") for node in nodes}
print(len(nodes) == len(ids) > 0, {e.get("source") for e in edges} <= ids)
sums = dict.fromkeys((e.get("target") for e in edges), 0.0)
for e in edges:
    sums[e.get("target")] += float(next(d for d in e if d.get("key") == "latent").text)
print(set(sums) == ids, all(abs(x - 1) < 1e-4 for x in sums.values()))
print(" ".join(sorted(zipfile.ZipFile("g.npz").namelist())))
end
code() { "$GELATTO" explain -q "$@" 2> err && echo 0 || echo $?; head -n 1 err; }
code m.safetensors $room --graph g.dot
code m.safetensors $room --graph g.npz --other 3
ls *.trace 2> /dev/null && exit 1
true
