"""Objects of other libraries, by how they look; the libraries themselves where they are installed."""
from types import SimpleNamespace

import numpy as np
import pytest

import gelatto

RGB = np.random.default_rng(1).random((500, 3))


def test_structured_arrays_of_pdal_have_canonical_names(points):
    fields = [("X", "f8"), ("Y", "f8"), ("Z", "f8"), ("Red", "u2"), ("GpsTime", "f8")]
    table = np.zeros(500, np.dtype(fields, align=True))
    table["X"] = points[:, 0]
    cloud = gelatto.Cloud(table)
    assert cloud.names == ["x", "y", "z", "red", "GpsTime"]
    assert np.shares_memory(cloud["x"], table)
    packed = gelatto.Cloud(table.astype(fields))  # not aligned: copied
    np.testing.assert_array_equal(packed["x"], points[:, 0])


def test_dictionaries_are_clouds(points):
    cloud = gelatto.Cloud({"xyz": points, "rgb": RGB, "label": np.zeros(500, "i4")})
    assert cloud.names == ["x", "y", "z", "red", "green", "blue", "label"]
    assert np.shares_memory(cloud.rgb, RGB)


def test_an_object_like_open3d_is_a_cloud(points):
    cloud = gelatto.Cloud(SimpleNamespace(points=points, colors=RGB, normals=np.zeros((0, 3))))
    assert cloud.names == ["x", "y", "z", "red", "green", "blue"]
    assert np.shares_memory(cloud.xyz, points)


def test_laspy(tmp_path, points, tiny):
    laspy = pytest.importorskip("laspy")
    las = laspy.create(point_format=3, file_version="1.2")
    las.x, las.y, las.z = points.T
    las.classification = np.arange(500) % 7
    cloud = gelatto.Cloud(las)
    np.testing.assert_allclose(cloud.xyz, points, atol=0.01)
    np.testing.assert_array_equal(cloud["classification"], np.arange(500) % 7)
    las.write(tmp_path / "a.las")
    by_file = gelatto.read(tmp_path / "a.las")
    np.testing.assert_array_equal(cloud.xyz, by_file.xyz)
    np.testing.assert_array_equal(tiny.predict(las).label, tiny.predict(by_file).label)


@pytest.mark.parametrize("form", [1, 3, 6, 7])
def test_laspy_comes_back_from_a_file(tmp_path, points, form):
    laspy = pytest.importorskip("laspy")
    las = laspy.create(point_format=form)
    las.x, las.y, las.z = points.T
    las.scan_direction_flag = las.withheld = np.arange(500) % 2
    las.key_point = np.arange(500) % 3 == 0
    angle = "scan_angle" if form >= 6 else "scan_angle_rank"
    las[angle] = np.arange(500) % 90 - 45
    gelatto.Cloud(las).save(tmp_path / "b.las")
    back = laspy.read(tmp_path / "b.las")
    assert "withheld_extra" not in back.point_format.dimension_names
    names = ("scan_direction_flag", "withheld", "key_point", "synthetic")
    for name in names:
        np.testing.assert_array_equal(back[name], las[name])
    degrees = [np.asarray(x.scan_angle) * 0.006 if x.header.point_format.id >= 6
               else np.asarray(x.scan_angle_rank) for x in (las, back)]
    np.testing.assert_allclose(degrees[0], degrees[1], atol=0.003)


def test_open3d(points, tiny):
    open3d = pytest.importorskip("open3d")
    cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
    cloud.colors = open3d.utility.Vector3dVector(RGB)
    np.testing.assert_array_equal(tiny.predict(cloud).label, tiny.predict(points).label)
    assert np.shares_memory(gelatto.Cloud(cloud).xyz, np.asarray(cloud.points))
    tensor = open3d.t.geometry.PointCloud.from_legacy(cloud)
    assert gelatto.Cloud(tensor).names[:3] == ["x", "y", "z"]


def test_torch_by_dlpack(points, tiny):
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(points)
    cloud = gelatto.Cloud(tensor)
    assert np.shares_memory(cloud.xyz, points)
    result = tiny.predict(tensor.requires_grad_())
    np.testing.assert_array_equal(result.label, tiny.predict(points).label)
    assert torch.from_dlpack(result.label.copy()).shape == (500,)
