"""Clouds and numpy: values go in and come out, without copies and without dangling memory."""
import copy
import gc
import json
import pickle
import re
import weakref

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

import gelatto

NUMBERS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
dtypes = st.sampled_from(NUMBERS)
names = st.sampled_from(["intensity", "label", "gps_time", "a b", "größe", "nx"])


def columns(n):
    return dtypes.flatmap(lambda dtype: arrays.arrays(dtype, n))


@given(data=st.data(), n=st.integers(0, 50), name=names)
def test_a_column_comes_back_bit_by_bit(data, n, name):
    values = data.draw(columns(n))
    cloud = gelatto.Cloud(np.zeros((n, 3)), **{name: values})
    back = cloud[name]
    assert back.dtype == values.dtype and back.tobytes() == values.tobytes()
    assert n == 0 or np.shares_memory(back, values)


@given(data=st.data(), step=st.integers(-3, 4).filter(bool), swapped=st.booleans())
def test_columns_of_any_stride_and_byte_order_come_back(data, step, swapped):
    values = data.draw(columns(30))
    values = (values.astype(values.dtype.newbyteorder()) if swapped else values)[::step]
    cloud = gelatto.Cloud(np.zeros((len(values), 3)), v=values)
    assert cloud["v"].dtype.isnative
    np.testing.assert_array_equal(cloud["v"], values)


@given(data=st.data(), n=st.integers(1, 40))
@settings(deadline=None)
def test_clouds_survive_npz_and_ply(data, n):
    number = st.floats(-1e6, 1e6, width=32)
    xyz = data.draw(arrays.arrays("f4", (n, 3), elements=number))
    more = data.draw(columns(n).filter(lambda values: values.dtype.itemsize < 8))
    cloud = gelatto.Cloud(xyz, extra=more)
    for kind in ("npz", "ply"):
        back = gelatto.read(cloud.to_bytes(kind))
        assert back.xyz.tobytes() == xyz.tobytes()
        assert back["extra"].tobytes() == more.tobytes()


@given(data=st.data(), n=st.integers(1, 40))
def test_rows_are_those_of_numpy(data, n):
    rows = data.draw(st.one_of(arrays.arrays("i8", st.integers(0, 60), elements=st.integers(-n, n - 1)),
                               arrays.arrays("?", n), st.slices(n)))
    values = np.arange(n, dtype="i4")
    cloud = gelatto.Cloud(np.zeros((n, 3)), v=values)
    np.testing.assert_array_equal(cloud[rows]["v"], values[rows])


def test_columns_of_a_matrix_are_not_copied(points):
    cloud = gelatto.Cloud(points)
    assert np.shares_memory(cloud["y"], points) and np.shares_memory(cloud.xyz, points)
    assert cloud.xyz.shape == points.shape and not cloud.xyz.flags.writeable


def test_a_column_outlives_its_cloud(office):
    cloud = gelatto.read(office)
    label = cloud["label"]
    kept = label.copy()
    del cloud
    gc.collect()
    blocks = [np.full(len(kept), 255, np.uint8) for _ in range(100)]  # would take freed memory
    np.testing.assert_array_equal(label, kept)
    del blocks


def test_a_column_that_is_replaced_stays_for_who_looks_at_it(office):
    cloud = gelatto.read(office)
    old, again = cloud["label"], cloud["label"]
    kept = old.copy()
    del again
    cloud["label"] = np.zeros(len(cloud), np.uint8)
    gc.collect()
    np.testing.assert_array_equal(old, kept)
    assert not cloud["label"].any()
    del cloud["label"]
    assert "label" not in cloud
    np.testing.assert_array_equal(old, kept)
    assert cloud.classes[0] == "ceiling"  # the rest of the file is still there


CHANGES = {
    "set": lambda cloud: cloud.__setitem__("label", np.zeros(len(cloud), np.uint8)),
    "delete": lambda cloud: cloud.__delitem__("label"),
    "set many": lambda cloud: cloud.__setitem__("rgb", np.zeros((len(cloud), 3), np.uint8)),
    "classes": lambda cloud: setattr(cloud, "classes", {0: "nothing"}),
}


@pytest.mark.parametrize("change", sorted(CHANGES))
@pytest.mark.parametrize("changed", [0, 1, 2])
def test_a_change_leaves_copies_and_originals_alone(office, change, changed):
    clouds = [gelatto.read(office)]
    kept = {name: clouds[0][name].copy() for name in clouds[0]}
    classes = clouds[0].classes
    clouds += [clouds[0].copy(), clouds[0].copy().copy()]
    cloud = clouds.pop(changed)
    CHANGES[change](cloud)
    assert cloud.classes == {0: "nothing"} or cloud.classes == classes
    del cloud
    gc.collect()
    for other in clouds:
        assert other.classes == classes
        for name, values in kept.items():
            np.testing.assert_array_equal(other[name], values)


def test_a_change_leaves_results_alone(office, tiny):
    cloud = gelatto.read(office)
    cloud["note"] = np.arange(6000.0)
    result = tiny.predict(cloud)
    kept = {name: result.cloud[name].copy() for name in result.cloud}
    for name in ("red", "label", "note"):
        cloud[name] = np.zeros(6000, np.uint8)
    del cloud["green"]
    gc.collect()
    for name, values in kept.items():
        np.testing.assert_array_equal(result.cloud[name], values)


def test_labels_that_became_the_truth_stay(tiny, points):
    result = tiny.predict(points, label=np.arange(500) % 3)
    again = result.cloud.copy()
    label = result.label.copy()
    result.cloud["label"] = np.zeros(500, np.int32)
    gc.collect()
    np.testing.assert_array_equal(result.cloud["truth"], np.arange(500) % 3)
    del result
    gc.collect()
    np.testing.assert_array_equal(again["truth"], np.arange(500) % 3)
    np.testing.assert_array_equal(again["label"], label)


def test_copies_of_copies_keep_only_what_they_show(office):
    cloud, seen = gelatto.read(office), []
    for i in range(5):
        values = np.full(6000, i)
        seen.append(weakref.ref(values))
        other = cloud.copy()
        cloud["note"] = values
        del values
    del other
    gc.collect()
    assert [found() is None for found in seen] == [True, True, True, True, False]


def test_results_keep_no_earlier_cloud(office, tiny):
    cloud = gelatto.read(office)
    first = weakref.ref(cloud._handle)
    for _ in range(3):
        cloud = tiny.predict(cloud, probabilities=True).cloud
    gc.collect()
    assert first() is None


def test_copy_takes_a_cloud(points):
    cloud = gelatto.Cloud(points)
    for other in (copy.copy(cloud), copy.deepcopy(cloud)):
        other["x"] = np.zeros(500)
        assert cloud["x"].any() and np.shares_memory(other["y"], points)
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(cloud)


def test_arrays_that_were_given_live_as_long_as_the_cloud():
    cloud = gelatto.Cloud(np.arange(3000.0).reshape(1000, 3))
    gc.collect()
    blocks = [np.zeros(3000) for _ in range(50)]
    assert cloud["z"][999] == 2999
    del blocks


def test_columns_are_read_only(office):
    cloud = gelatto.read(office)
    for array in (cloud["label"], cloud["x"], cloud.xyz):
        if np.shares_memory(array, cloud["label"]) or np.shares_memory(array, cloud["x"]):
            with pytest.raises(ValueError):
                array[0] = 1


def test_scaled_coordinates_are_numbers_or_raw(tmp_path):
    gelatto.Cloud([[1e6, 2e6, 0.25], [1e6 + 1, 2e6, 0.5]]).save(tmp_path / "a.las")
    cloud = gelatto.read(tmp_path / "a.las")
    np.testing.assert_allclose(cloud["z"], [0.25, 0.5])
    assert cloud.raw("z").dtype == np.int32 and cloud.xyz.dtype == np.float64


def test_lists_come_as_arrays_of_points(tmp_path):
    (tmp_path / "a.ply").write_text(
        "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\n"
        "property float z\nproperty list uchar int seen\nend_header\n0 0 0 2 7 8\n1 0 0 1 9\n")
    seen = gelatto.read(tmp_path / "a.ply")["seen"]
    assert [list(values) for values in seen] == [[7, 8], [9]]


def test_classes_are_named_and_written(tmp_path):
    cloud = gelatto.Cloud(np.zeros((2, 3)), label=[3, 5])
    cloud.classes = {3: "wall", 5: "floor"}
    cloud.save(tmp_path / "a.ply")
    assert gelatto.read(tmp_path / "a.ply").classes == {3: "wall", 5: "floor"}
    cloud.classes = {5: "ceiling"}
    assert cloud.classes == {5: "ceiling"}


def test_edits_make_copies(office):
    cloud = gelatto.read(office)
    edited = cloud.edit(subsample=100, seed=1, scale=2.0, map={0: 50})
    assert len(edited) == 100 and len(cloud) == 6000
    assert 50 in edited["label"] or 0 not in cloud["label"]


def test_names_with_blanks_are_options_like_others(tiny, points):
    cloud = gelatto.Cloud(points, **{"my own \\\tlabel": np.arange(500) % 3})
    assert "label" in cloud.edit(rename={"my own \\\tlabel": "label"})
    model = copy.copy(tiny)
    model.names = ["low vegetation", "b", "c"]
    result = model.predict(points, map={"low vegetation": 3})
    assert result.cloud.provenance["options"].startswith("map=low\\ vegetation:3")


def test_rows_in_two_dimensions_are_refused(points):
    cloud = gelatto.Cloud(points)
    for rows in (np.zeros((2, 3), int), [[0, 1]], None):
        with pytest.raises(gelatto.ArgumentError):
            cloud[rows]
    assert len(cloud[3]) == 1


def test_groups_are_named(points):
    with pytest.raises(gelatto.ArgumentError, match="xyz, rgb, normals") as caught:
        gelatto.Cloud({"xyz": points, "color": points})
    assert caught.value.name == "color"


def test_wrong_shapes_are_refused(points):
    for bad in (np.zeros(3), np.zeros((4, 2)), np.zeros((2, 3, 1))):
        with pytest.raises(gelatto.ArgumentError):
            gelatto.Cloud(bad)
    cloud = gelatto.Cloud(points)
    for values in (np.zeros(3), np.zeros((500, 2)), ["a"] * 500, np.zeros(500, complex)):
        with pytest.raises(gelatto.ArgumentError):
            cloud["v"] = values
    assert cloud.names == ["x", "y", "z"]


def test_images_and_reports_are_written(office, tmp_path):
    cloud = gelatto.read(office)
    cloud.render(tmp_path / "a.png", colours=["rgb", "label"], width=120, height=90)
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert cloud.info()["points"] == 6000


def test_pages_hand_out_patches_that_are_applied(office, tmp_path):
    cloud = gelatto.read(office)
    cloud.view(tmp_path / "a.html", cloud, classes=["lamp"], title="Office")
    assert b"<html" in (tmp_path / "a.html").read_bytes()
    digest = re.search(rb'"?digest"?:\s*"([0-9a-f]{32})"', (tmp_path / "a.html").read_bytes())
    assert digest
    (tmp_path / "a.json").write_text(json.dumps({
        "gelatto": "patch", "version": 1, "cloud": "a", "digest": digest[1].decode(),
        "points": 6000, "maximum": 3000000, "edits": [{"class": 1, "name": "floor", "rows": "3-5"}]}))
    shown, kept = cloud["label"], cloud["label"].copy()
    corrected = cloud.patched(tmp_path / "a.json")
    assert list(corrected["label"][3:6]) == [1, 1, 1] and corrected["reviewed"].sum() == 3
    np.testing.assert_array_equal(shown, kept)  # the cloud itself stays
    assert "reviewed" not in cloud.patched(tmp_path / "a.json", reviewed=False)


def test_the_next_tiles_are_ranked_and_shown(tmp_path, rooms):
    model = gelatto.Model.create(13, preset="tiny", seed=1)
    cloud = gelatto.read(next(rooms.glob("Area_1/*.ply")))
    tiles = model.next(cloud, tiles=3, passes=2)
    assert len(tiles) == 3 and all(isinstance(tile, gelatto.Tile) for tile in tiles)
    assert all(tile.cloud == 0 and tile.points > 0 and tile.low < tile.high for tile in tiles)
    cloud.view(tmp_path / "next.html", tiles=tiles)
    assert '"next":[' in (tmp_path / "next.html").read_text()
    cloud.view(tmp_path / "pass.html", explain=model, rows=[5])
    assert '"radius":[' in (tmp_path / "pass.html").read_text()
    with pytest.raises(gelatto.ArgumentError):
        model.next(cloud, tiles=0)


def test_a_cloud_describes_itself():
    assert repr(gelatto.Cloud([[0.0, 0, 0]])) == "<gelatto.Cloud: 1 point, x y z>"
    assert list(gelatto.Cloud([[0.0, 0, 0]])) == ["x", "y", "z"]
