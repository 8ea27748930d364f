"""Exceptions carry what the library says."""
import errno
import os

import pytest

import gelatto
from gelatto._native import lib
from gelatto.errors import _CLASSES, topic_text


def test_codes_are_those_of_the_library():
    found = {name[5:]: getattr(lib, name) for name in dir(lib)
             if name.startswith("GLT_E") and isinstance(getattr(lib, name), int)
             and getattr(lib, name) < 0}
    assert found == {code.name: code.value for code in gelatto.Code}
    assert set(_CLASSES) == set(gelatto.Code)


def test_a_missing_file_is_an_os_error():
    with pytest.raises(OSError) as caught:
        gelatto.read("nowhere/scan.ply")
    error = caught.value
    assert isinstance(error, gelatto.FileError) and error.code is gelatto.Code.IO
    assert error.topic == "not_found" and error.file == "nowhere/scan.ply"
    assert topic_text(error.topic) and "nowhere/scan.ply" in str(error)
    assert isinstance(error, FileNotFoundError) and isinstance(error, gelatto.FileMissingError)
    assert error.errno == errno.ENOENT and error.filename == "nowhere/scan.ply"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_forbidden_file_is_a_permission_error(tmp_path):
    (tmp_path / "a.ply").write_text("ply\n")
    (tmp_path / "a.ply").chmod(0)
    with pytest.raises(PermissionError) as caught:
        gelatto.read(tmp_path / "a.ply")
    assert caught.value.errno == errno.EACCES


@pytest.mark.parametrize("content", [b"", b"\xff" * 8, b"\x02" + bytes(7) + b"{]",
                                     b"\x01" + bytes(7) + b"7", b"\x02" + bytes(7) + b"\xff\xff"])
def test_a_damaged_trace_is_a_format_error(content, tmp_path):
    (tmp_path / "t.safetensors").write_bytes(content)
    with pytest.raises(gelatto.FormatError) as caught:
        len(gelatto.Trace(tmp_path / "t.safetensors"))
    error = caught.value
    assert error.code is gelatto.Code.FORMAT and error.topic == "format"
    assert error.file == str(tmp_path / "t.safetensors")


def test_titles_with_nul_are_refused(tmp_path):
    with pytest.raises(gelatto.ArgumentError):
        gelatto.Run(tmp_path).report(tmp_path / "a.html", title="a\0b")


def test_a_bad_line_has_its_place(tmp_path):
    (tmp_path / "a.yaml").write_text("lr: 0.1\nlr: nonsense\n")
    with pytest.raises(gelatto.Error) as caught:
        gelatto.Config(tmp_path / "a.yaml")
    assert caught.value.place["line"] == 2


def test_a_missing_attribute_is_a_key_error(points):
    with pytest.raises(KeyError) as caught:
        gelatto.Cloud(points)["colour"]
    assert caught.value.topic == "attribute" and caught.value.name == "colour"


def test_missing_inputs_are_a_model_error(points):
    model = gelatto.Model.create(2, preset="tiny", inputs="xyz,rgb")
    with pytest.raises(gelatto.ModelError) as caught:
        model.predict(points)
    assert caught.value.topic == "inputs" and "rooms" in str(caught.value)


def test_unknown_options_are_refused_by_name():
    with pytest.raises(gelatto.ArgumentError) as caught:
        gelatto.Config(learning_rat=1)
    assert caught.value.topic == "unknown_option" and caught.value.name == "learning_rat"
    with pytest.raises(gelatto.ArgumentError):
        gelatto.Cloud([[0.0, 0, 0]]).edit(up="q")


@pytest.mark.parametrize("path", ["a\0b.ply", "a b"])
def test_paths_with_nul_are_refused_and_blanks_are_not(path):
    with pytest.raises((gelatto.ArgumentError, gelatto.FileError)) as caught:
        gelatto.read(path)
    assert isinstance(caught.value, gelatto.ArgumentError) == ("\0" in path)
