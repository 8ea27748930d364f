# A model file described, explained and refused.
examples=$(dirname "$GELATTO")/examples
"$examples/train" model.safetensors > log
"$GELATTO" info model.safetensors | grep -v digest | head -n 20
"$GELATTO" info model.safetensors | grep -cE '^digest [0-9a-f]{32}$'
"$GELATTO" synth rooms -o rooms --rooms 1 --points 3000 --quiet
"$GELATTO" explain model.safetensors rooms/Area_1/office_1.ply -o a.safetensors
"$GELATTO" explain model.safetensors rooms/Area_1/office_1.ply -o b.safetensors --point 2999
head -c 300000 a.safetensors | grep -ao '"enc4/block2/attention_latent":{"dtype":"F32"'
cmp -s a.safetensors b.safetensors || echo other block
! "$GELATTO" info a.safetensors
! "$GELATTO" explain model.safetensors rooms/Area_1/office_1.ply -o c.safetensors --point 3000
! "$GELATTO" explain model.safetensors rooms/Area_1/office_1.ply
printf '0 0 0\n1 0 0\n' > b.xyz
! "$GELATTO" explain model.safetensors b.xyz -o c.safetensors
test ! -e c.safetensors
