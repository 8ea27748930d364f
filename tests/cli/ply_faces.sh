# An element after the vertices of a PLY that cannot be read does not lose the vertices.
head='ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n'
faces='element face 2\nproperty list uchar int vertex_indices\nend_header\n'
printf "$head$faces"'0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0' > cut.ply
printf "$head"'element pose 1\nproperty quaternion q\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 0 0 0\n' > pose.ply
for cloud in cut pose; do
    "$GELATTO" info $cloud.ply 2>&1 | grep -E 'points|warning'
    "$GELATTO" convert $cloud.ply $cloud.xyz -q 2> /dev/null
    wc -l < $cloud.xyz
done
# points on the faces are another matter
"$GELATTO" convert cut.ply s.ply --sample 10 || true
