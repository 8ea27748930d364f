"""Many files: shards, records and halos as the program has them."""
import shutil

import pytest

import gelatto


@pytest.fixture
def tiles(rooms, tmp_path):
    """Four small files in two folders."""
    for i, path in enumerate(sorted(rooms.rglob("*.ply"))[:4]):
        (tmp_path / "in" / str(i % 2)).mkdir(parents=True, exist_ok=True)
        gelatto.read(path)[:3000].save(tmp_path / "in" / str(i % 2) / f"{i}.ply")
    return tmp_path / "in"


def outputs(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.ply")}


def test_shards_give_the_bytes_of_the_program(tiles, program, tmp_path):
    program("predict", "-q", "rooms", tiles, "-o", tmp_path / "c", "--halo", "10")
    model = gelatto.load("rooms")
    labelled = [file for i in (3, 1, 2)
                for file in gelatto.label_files(model, tiles, tmp_path / "p", shard=(i, 3), halo=10)]
    assert outputs(tmp_path / "p") == outputs(tmp_path / "c") and len(labelled) == 4
    assert all(sum(file.counts) == file.points == 3000 for file in labelled)
    again = gelatto.label_files(model, tiles, tmp_path / "p", skip_finished=True, halo=10)
    assert all(file.finished for file in again)
    found = gelatto.gather(tmp_path / "p", inputs=True)
    assert found["files"] == found["finished"] == 4 and found["points"] == 12000
    next((tmp_path / "p").rglob("0.ply")).unlink()
    assert gelatto.gather(tmp_path / "p", page=tmp_path / "page.html")["broken"] == ["0/0.ply"]
    assert "0/0.ply" in (tmp_path / "page.html").read_text()


def test_a_file_that_fails_is_named(tiles, tmp_path):
    (tiles / "0" / "0.ply").write_text("ply")
    labelled = gelatto.label_files(gelatto.load("rooms"), tiles, tmp_path / "out")
    assert [bool(file.error) for file in labelled] == [True, False, False, False]


def test_inputs_stay(tiles, tmp_path):
    model = gelatto.load("rooms")
    with pytest.raises(gelatto.ArgumentError):
        gelatto.label_files(model, tiles, tiles)
    with pytest.raises(gelatto.ArgumentError):
        gelatto.label_files(model, tiles, tmp_path / "out", shard=(0, 3))
    with pytest.raises(gelatto.FileError):
        gelatto.label_files(model, tmp_path / "nowhere", tmp_path / "out")
    shutil.copytree(tiles, tmp_path / "more")
    with pytest.raises(gelatto.ArgumentError):
        gelatto.label_files(model, [tiles, tmp_path / "more"], tmp_path / "out")


def test_outputs_below_the_inputs_are_no_inputs(tiles):
    model = gelatto.load("rooms")
    for _ in range(2):
        labelled = gelatto.label_files(model, tiles, tiles / "out", skip_finished=True)
        assert len(labelled) == 4
    assert all(file.finished for file in labelled)
    assert not (tiles / "out" / "out").exists()
