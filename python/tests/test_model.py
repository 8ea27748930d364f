"""Models: the same bits as the program, results without copies, single passes."""
import copy
import json
import pickle

import numpy as np
import pytest

import gelatto

SCENES = ["aerial", "rooms", "rooms-scan"]


@pytest.mark.parametrize("name", SCENES)
def test_scenes_get_the_bytes_of_the_program(name, office, program, tmp_path):
    program("predict", "-q", name, office, "-o", tmp_path / "c.ply", "--probabilities")
    gelatto.load(name).predict(office, probabilities=True).save(tmp_path / "p.ply")
    assert (tmp_path / "c.ply").read_bytes() == (tmp_path / "p.ply").read_bytes()


def test_parts_get_the_bytes_of_the_program(shapes, program, tmp_path):
    shape = next((shapes / "test").rglob("*.ply"))
    program("predict", "-q", "parts", shape, "-o", tmp_path / "c.ply", "--second", "--margin")
    result = gelatto.load("parts").predict(shape, second=True, margin=True)
    result.save(tmp_path / "p.ply")
    assert (tmp_path / "c.ply").read_bytes() == (tmp_path / "p.ply").read_bytes()
    assert result.name in [category.name for category in result.model.categories]


def test_shapes_get_the_class_of_the_program(shapes, program):
    shape = next((shapes / "test").rglob("*.ply"))
    said = json.loads(program("predict", "-q", "shapes", shape, "--json"))[0]
    result = gelatto.load("shapes").predict(shape)
    assert result.name == said["class"] and result.label.shape == ()
    for i, name in enumerate(result.names):
        assert f"{result.probabilities[i]:.6f}" == f"{said['probabilities'][name]:.6f}"


def test_arrays_files_and_clouds_get_the_same_labels(office):
    model, cloud = gelatto.load("rooms"), gelatto.read(office)
    by_file = model.predict(office)
    by_cloud = model.predict(cloud)
    by_arrays = model.predict(cloud.xyz, rgb=cloud.rgb)
    for other in (by_cloud, by_arrays):
        np.testing.assert_array_equal(by_file.label, other.label)
        assert by_file.confidence.tobytes() == other.confidence.tobytes()
    assert "confidence" not in cloud and cloud["label"].any()  # the cloud stays as it was
    assert np.shares_memory(by_cloud.cloud["x"], cloud["x"])


def test_a_second_prediction_leaves_the_first_result_alone(office):
    first = gelatto.load("rooms").predict(office)
    label, kept = first.label, first.label.copy()
    second = gelatto.load("aerial").predict(first.cloud)
    assert (second.label != kept).any()
    np.testing.assert_array_equal(label, kept)
    np.testing.assert_array_equal(first.label, kept)


def test_a_result_describes_itself(office):
    result = gelatto.load("rooms").predict(office, probabilities=True)
    assert sum(result.counts().values()) == 6000 and result.points == 6000
    assert result.probabilities.shape == (6000, 13)
    np.testing.assert_allclose(result.probabilities.sum(1), 1, atol=1e-5)
    assert repr(result).startswith("<gelatto.Result: 6000 points, ")
    assert set(result.times) == {"geometry", "network", "votes"} and all(result.times.values())


def test_models_are_saved_and_loaded(tiny, tmp_path, points):
    tiny.names = ["a", "b", "c"]
    tiny.save(tmp_path / "m.safetensors")
    again, bytes_ = gelatto.load(tmp_path / "m.safetensors"), gelatto.load(tiny.to_bytes())
    assert again.names == bytes_.names == ["a", "b", "c"]
    assert tiny.predict(points).confidence.tobytes() == again.predict(points).confidence.tobytes()
    assert again.info()["parameters"] == tiny.parameters and "# " in tiny.card()


def test_models_are_pickled_and_copied(tiny, points):
    right = tiny.predict(points).confidence
    for other in (pickle.loads(pickle.dumps(tiny)), copy.copy(tiny), copy.deepcopy(tiny)):
        assert other.predict(points).confidence.tobytes() == right.tobytes()


def test_flags_of_numpy_are_flags(tiny, points):
    assert tiny.predict(points, probabilities=np.True_).probabilities.shape == (500, 3)
    assert "probability_0" not in tiny.predict(points, probabilities=np.False_).cloud


def test_names_and_colours_are_set(tiny):
    tiny.colours = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    np.testing.assert_array_equal(tiny.colours[1], [4, 5, 6])
    for wrong in ([[0.5, 0.5, 0.5]] * 3, [[1, 2, 3]] * 2, [[1, 2, 256]] * 3, [[1, 2]] * 3):
        with pytest.raises(gelatto.ArgumentError):
            tiny.colours = wrong
    np.testing.assert_array_equal(tiny.colours[2], [7, 8, 9])
    with pytest.raises(gelatto.ArgumentError):
        tiny.names = ["a", "a", "b"]


def test_one_pass_gives_probabilities_and_features(tiny, points):
    labels, shares = tiny.forward(points)
    np.testing.assert_array_equal(labels, shares.argmax(1))
    order = np.random.default_rng(0).permutation(len(points))
    np.testing.assert_array_equal(tiny.predictor(500).run(points[order])[1], shares[order])
    assert len(tiny.features(points)) == 500
    with pytest.raises(gelatto.ArgumentError):
        tiny.forward(points, np.zeros((3, 1), np.float32))


def test_installed_models_are_listed():
    found = gelatto.models()
    assert set(SCENES) | {"parts", "shapes"} <= set(found)
    assert found["rooms"].inputs == "xyz,rgb?" and found["rooms"].classes == 13
    assert gelatto.model_path("rooms") == found["rooms"].path


def test_traces_hold_what_the_pass_computed(tiny, points, tmp_path):
    trace = tiny.explain(points, point=7, path=tmp_path / "t.safetensors")
    weights, start = trace.attention["enc1/block1/geometric"], trace["enc1/block1/start"]
    np.testing.assert_allclose(np.add.reduceat(weights, start[:-1], axis=0), 1, atol=1e-4)
    assert 7 in trace["input/row"] and trace.metadata["gelatto.trace"] == "1"
    trace.save_image(tmp_path / "a.png", width=100, height=100)
    assert (tmp_path / "a.png").exists()
    assert trace.correlation()[0].head in ("geometric", "latent")
    assert all(0 <= row.entropy <= 1.001 for row in trace.sharpness(trace))
    assert trace.save_film(tmp_path / "film", frames=1, width=80, height=80) == \
        len(list((tmp_path / "film").iterdir()))
    trace.save_image(tmp_path / "b.png", kind="scores", channel="random", seed=3, up="y", width=80)
    assert trace.save_film(tmp_path / "film.png", frames=1, width=80, height=80, fps=5) > 40
    assert b"acTL" in (tmp_path / "film.png").read_bytes()[:80]


def test_a_graph_has_the_names_of_pytorch_geometric(tiny, points, tmp_path):
    trace = tiny.explain(points, path=tmp_path / "t.safetensors")
    trace.save_graph(tmp_path / "g.npz", level=1, block=1)
    with np.load(tmp_path / "g.npz") as graph:
        source, target = graph["edge_index"]
        assert source.dtype == np.int64 and source.max() < len(graph["pos"])
        np.testing.assert_array_equal(source, trace["enc1/block1/index"])
        sums = np.zeros((len(graph["pos"]), 2))
        np.add.at(sums, target, graph["edge_attr"])
        np.testing.assert_allclose(sums[np.unique(target)], 1, atol=1e-4)
        assert set(graph["batch"]) == {0} and list(graph["ptr"]) == [0, len(graph["pos"])]
    trace.save_graph(tmp_path / "g.graphml", level=4)
    assert (tmp_path / "g.graphml").read_text().endswith("</graphml>\n")


def test_a_trace_of_its_own_goes_with_the_object(tiny, points):
    trace = tiny.explain(points)
    path = trace.path
    assert path.exists()
    del trace
    assert not path.exists()
