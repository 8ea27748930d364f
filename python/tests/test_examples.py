"""The examples run: scripts, and the code of the notebook (the notebook itself where nbclient is)."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NOTEBOOK = EXAMPLES / "label-and-correct.ipynb"


def run(*words):
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True)


def test_files_are_labelled(office, tmp_path):
    done = run(EXAMPLES / "label.py", "rooms", tmp_path, office)
    assert done.returncode == 0 and "6000 points" in done.stdout, done.stderr
    assert (tmp_path / office.name).exists()
    assert run(EXAMPLES / "label.py", "rooms", tmp_path, "nowhere.ply").returncode == 1


def test_arrays_are_learned():
    done = run(EXAMPLES / "arrays.py")
    assert done.returncode == 0 and "cancelled" in done.stdout, done.stderr
    assert int(done.stdout.split()[0]) > 80


def test_the_code_of_the_notebook_runs(tmp_path):
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    script = tmp_path / "notebook.py"
    script.write_text(code.replace("from IPython.display import Image", "Image = str"))
    done = run(script)
    assert done.returncode == 0, done.stderr
    before, after = [float(word) for word in done.stdout.replace("%", "").replace(",", "").split()
                     if word.replace(".", "").isdigit()][-2:]
    assert after > before


def test_the_notebook_is_executed():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    images = [output for cell in notebook.cells for output in cell.get("outputs", [])
              if "image/png" in output.get("data", {})]
    assert len(images) == 2
