"""Training, evaluation, checks: what the program does, from Python."""
from pathlib import Path

import numpy as np
import pytest

import gelatto

SMALL = dict(preset="tiny", batch=1, points=512, block=2, block_min=16)


@pytest.fixture(scope="module")
def finished(rooms, tmp_path_factory):
    seen = []
    run = gelatto.train(rooms, runs=tmp_path_factory.mktemp("runs"), steps=3, on_step=seen.append,
                        **SMALL)
    return run, seen


def test_a_run_reports_its_steps(finished):
    run, seen = finished
    assert [step.step for step in seen] == [1, 2, 3] and not run.stopped
    assert seen[0].folder == str(run.folder) and len(seen[0].losses) >= 1
    assert [row["step"] for row in run.history if "loss" in row] == [1, 2, 3]
    assert run.best.exists() and run.model().names[0] == "ceiling"
    assert "gelatto.Step 1/3" in repr(seen[0])


def test_a_run_opens_in_the_browser(finished, tmp_path):
    finished[0].view(tmp_path / "run.html")
    assert '"run":{"metric":"mIoU"' in (tmp_path / "run.html").read_text()


def test_evaluation_has_scores(finished, office, program):
    run, _ = finished
    scores = gelatto.evaluate(run.best, office)
    assert 0 <= scores.miou <= scores.macc <= 1 and scores["clouds"] == 1
    assert set(scores.iou) <= set(run.model().names)
    in_memory = gelatto.evaluate(run.model(), office)
    assert in_memory.miou == scores.miou and in_memory.accuracy == scores.accuracy
    assert f"{100 * scores.miou:.1f}" in program("eval", "-q", run.best, office)


def test_a_callback_stops_a_run_that_resumes_to_the_same_weights(rooms, tmp_path, finished):
    stopped = gelatto.train(rooms, folder=tmp_path / "run", steps=3, **SMALL,
                            on_step=lambda step: np.bool_(step.step == 2))
    assert stopped.stopped
    resumed = gelatto.resume(stopped, rooms)
    assert not resumed.stopped
    assert resumed.last.read_bytes()[-1000:] == finished[0].last.read_bytes()[-1000:]


def test_what_a_callback_raises_comes_out(rooms, tmp_path):
    def fail(step):
        raise LookupError(step.step)

    with pytest.raises(LookupError, match="1"):
        gelatto.train(rooms, runs=tmp_path, steps=3, on_step=fail, **SMALL)


def test_a_call_leaves_its_configuration_alone(rooms, tmp_path):
    (tmp_path / "a.yaml").write_text("epochs: 7\n")
    config = gelatto.Config(tmp_path / "a.yaml", **SMALL)
    config["seed"] = 5
    before = config.to_yaml()
    run = gelatto.train(rooms, runs=tmp_path, config=config, epochs=1, steps=1)
    assert config.to_yaml() == before and config["epochs"] == "7"
    written = (run.folder / "config.yaml").read_text()
    assert "epochs: 1\n" in written and "seed: 5\n" in written and "points: 512\n" in written


def test_a_callback_leaves_the_run_its_threads(rooms, tmp_path, tiny, points):
    seen = []

    def predict(step):
        seen.append(len(list(Path("/proc/self/task").iterdir())))
        with gelatto.Context(threads=1):
            tiny.predict(points)

    with gelatto.Context(threads=6):
        gelatto.train(rooms, runs=tmp_path, steps=4, threads=1, on_step=predict,
                      **{**SMALL, "points": 4096})
    assert seen[3] == seen[0]


def test_a_model_in_memory_is_the_start_of_a_run(finished, rooms, tmp_path):
    run = gelatto.train(rooms, init=finished[0].model(), runs=tmp_path, steps=1, batch=1)
    assert run.last.exists()
    run.report(tmp_path / "run.html")
    assert (tmp_path / "run.html").stat().st_size > 1000


def test_a_grid_is_trained(rooms, tmp_path):
    (tmp_path / "grid.yaml").write_text(
        "title: Heads\nabout: Two rows.\ntask: segment\ndata: rooms\nfetch: none\nseeds: 1\n"
        "set: {preset: tiny}\nrows:\n  - {name: both, set: {heads: both}}\n"
        "  - {name: latent, set: {heads: latent}}\n")
    table = gelatto.ablate(rooms, tmp_path / "grid.yaml", runs=tmp_path, steps=1, seeds=1, **SMALL)
    assert len(table["rows"]) == 2


def test_single_steps_learn(points):
    model = gelatto.Model.create(["low", "high"], preset="tiny", inputs="xyz", aux=0, seed=1)
    trainer = gelatto.Trainer(model, clouds=2, points=500)
    labels = (points[:, 2] > 2).astype(np.int32)
    losses = [trainer.step([(points, None, labels)] * 2, lr=2e-3)[0] for _ in range(15)]
    assert losses[-1] < 0.8 * losses[0]
    with pytest.raises(gelatto.ArgumentError):
        trainer.step([(points, None, labels[:3])])


def test_checks_find_what_is_wrong(rooms, tmp_path):
    assert not any(finding.error for finding in gelatto.check(rooms))
    (tmp_path / "Area_1").mkdir()
    (tmp_path / "Area_1" / "office_1.ply").write_text("ply\nnonsense\n")
    (tmp_path / "Area_5").mkdir()
    (tmp_path / "Area_5" / "office_1.ply").write_text("ply\nnonsense\n")
    errors = [finding for finding in gelatto.check(tmp_path) if finding.error]
    assert any("office_1.ply" in finding.message for finding in errors)
    with pytest.raises(gelatto.Error):
        gelatto.check(tmp_path / "nowhere")


def test_synthetic_data_has_the_bytes_of_the_program(program, tmp_path):
    gelatto.synth_aerial(tmp_path / "p", scenes=1, size=20, density=2, format="las")
    program("synth", "aerial", "-q", "-o", tmp_path / "c", "--scenes", 1, "--size", 20,
            "--density", 2, "--format", "las")
    files = sorted(path.relative_to(tmp_path / "p") for path in (tmp_path / "p").rglob("*.*"))
    assert len(files) > 6
    for file in files:
        assert (tmp_path / "p" / file).read_bytes() == (tmp_path / "c" / file).read_bytes()


def test_speed_is_measured():
    speed = gelatto.measure_speed(points=256, repeats=1, preset="tiny")
    assert speed.seconds > 0 and speed.bytes > 0


def test_every_option_is_a_keyword():
    config = gelatto.Config(**{option.keyword: option.default for option in gelatto.options()
                               if option.default})
    assert gelatto.Config(augment_flip_x=0.25)["augment.flip_x"] == "0.25"
    assert "lr:" in config.to_yaml() and "preset" not in repr(gelatto.Config())
