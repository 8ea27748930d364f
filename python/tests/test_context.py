"""Contexts: threads, log, progress, cancellation, Ctrl-C."""
import gc
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import gelatto
from gelatto import evaluation
from gelatto.context import Call, run


def test_four_threads_predict_and_one_is_cancelled(office):
    model = gelatto.load("rooms")
    cloud = gelatto.read(office)
    right = model.predict(cloud).label.copy()
    contexts = [gelatto.Context(threads=1) for _ in range(4)]
    started, results, errors = threading.Event(), {}, {}
    contexts[2].progress = lambda activity, done, total: (started.set(), time.sleep(0.01))

    def work(i):
        try:
            with contexts[i]:
                for _ in range(200 if i == 2 else 2):  # the one to be cancelled has the most to do
                    results[i] = model.predict(cloud).label
        except gelatto.Error as error:
            errors[i] = error

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    assert started.wait(60)
    contexts[2].cancel()
    for thread in threads:
        thread.join()
    assert list(errors) == [2] and isinstance(errors[2], gelatto.InterruptedError)
    assert contexts[2].cancelled and not contexts[0].cancelled
    for i in (0, 1, 3):
        np.testing.assert_array_equal(results[i], right)


def test_a_cancelled_context_stays_cancelled(tiny, points):
    context = gelatto.Context()
    context.cancel()
    with context, pytest.raises(gelatto.InterruptedError):
        tiny.predict(points)
    assert tiny.predict(points).points == 500  # outside of it


def test_progress_is_reported_and_may_stop_the_work(tiny, points):
    seen = []
    with gelatto.Context(progress=lambda *report: seen.append(report)):
        tiny.predict(points)
    assert seen and seen[-1][1] <= seen[-1][2] and seen[0][0] == "label points"

    def stop(activity, done, total):
        raise ZeroDivisionError

    with gelatto.Context(progress=stop), pytest.raises(ZeroDivisionError):
        tiny.predict(points)


def test_a_bar_is_shown_with_or_without_tqdm(tiny, points):
    with gelatto.Context(progress=True):
        assert tiny.predict(points).points == 500


def test_warnings_go_to_logging(office, caplog):
    with caplog.at_level(logging.WARNING, "gelatto"):
        gelatto.load("rooms").predict(gelatto.read(office).edit(subsample=500))
    assert any("density" in record.message for record in caplog.records)
    assert all(isinstance(record.topic, str) for record in caplog.records)


def test_a_memory_limit_holds(office):
    with gelatto.Context(memory_limit=1 << 16):
        with pytest.raises((gelatto.OutOfMemoryError, gelatto.LimitError)):
            gelatto.read(office)
    assert len(gelatto.read(office)) == 6000


def test_contexts_nest(tiny, points):
    with gelatto.Context(threads=1) as outer:
        with gelatto.Context(threads=2):
            tiny.predict(points)
        outer.cancel()
        with pytest.raises(gelatto.InterruptedError):
            tiny.predict(points)


def test_threads_may_enter_one_context(tiny, points):
    shared, other = gelatto.Context(threads=1), gelatto.Context()
    entered, done = threading.Event(), threading.Event()

    def work():
        with other, shared:
            entered.set()
            done.wait(60)

    thread = threading.Thread(target=work)
    with shared:
        thread.start()
        assert entered.wait(60)
    other.cancel()
    try:
        assert tiny.predict(points).points == 500  # in no context again
    finally:
        done.set()
        thread.join()


class Refuse(logging.Filter):
    def filter(self, record):
        raise LookupError(record.getMessage())


def test_what_a_log_filter_raises_comes_out(office):
    model, cloud = gelatto.load("rooms"), gelatto.read(office).edit(subsample=500)
    refuse = Refuse()
    logging.getLogger("gelatto").addFilter(refuse)
    try:
        with pytest.raises(LookupError, match="density"):
            model.predict(cloud)
    finally:
        logging.getLogger("gelatto").removeFilter(refuse)
    assert model.predict(cloud).points == 500


def test_an_exception_of_a_callback_does_not_hide_the_error(points):
    call = Call(())
    call.note(LookupError("the first"))
    call.note(LookupError("the second"))
    with pytest.raises(LookupError, match="first") as caught:
        call.run(lambda: gelatto.Cloud(points)["nothing"])
    assert isinstance(caught.value.__cause__, gelatto.AttributeMissingError)


@pytest.fixture
def interrupted():
    """Calls a function that several Ctrl-C, a moment apart, end."""
    def call(times, function):
        left = [times]

        def stop(*_):
            left[0] -= 1
            if not left[0]:
                signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
        try:
            function()
        except KeyboardInterrupt:
            return True
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        return False

    return call


@pytest.mark.parametrize("times, leave", [(1, True), (2, False)])
def test_work_that_is_left_keeps_what_it_uses(times, leave, interrupted):
    text, done = np.zeros(9), threading.Event()
    seen = weakref.ref(text)
    assert interrupted(times, lambda: run(lambda: done.wait(60), keep=(text,), leave=leave))
    del text
    gc.collect()
    assert seen() is not None
    done.set()
    for _ in range(1000):
        if seen() is None:
            break
        time.sleep(0.01)
    assert seen() is None


def test_clouds_that_are_left_change_no_more(points, interrupted):
    cloud, other, done = gelatto.Cloud(points), gelatto.Cloud(points), threading.Event()
    handles = cloud._handle, other._handle
    assert interrupted(1, lambda: cloud._read(lambda *_: done.wait(60), other, leave=True))
    cloud["x"] = other["x"] = np.zeros(500)
    assert cloud._handle is not handles[0] and other._handle is not handles[1]
    done.set()


def test_an_evaluation_that_writes_is_not_left(office, tmp_path, monkeypatch):
    left = []
    monkeypatch.setattr(evaluation, "run", lambda work, keep, leave: left.append(leave) or work())
    gelatto.evaluate("rooms", office)
    gelatto.evaluate("rooms", office, folder=tmp_path / "card")
    assert left == [True, False]


SCRIPT = """
import signal, sys, gelatto
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
print("start", flush=True)
{work}
"""
WORK = {
    "predict": "model = gelatto.load('rooms')\nwhile True: model.predict(sys.argv[1], overlap=15)",
    "train": "gelatto.train('synth:rooms', runs=sys.argv[2], preset='tiny', epochs=100)",
    "evaluate": "gelatto.evaluate('rooms', sys.argv[1], seeds=10000)",
    "python": "import time\nwith gelatto.Context(progress=lambda *_: time.sleep(0.05)):\n"
              "    gelatto.load('rooms').predict(sys.argv[1], overlap=15)",
}


def test_signals_wait_for_the_main_thread(tiny, office):
    seen = []

    def look(*_):
        seen.append((threading.current_thread(), signal.pthread_sigmask(signal.SIG_BLOCK, [])))

    with gelatto.Context(progress=look):
        tiny.predict(office, overlap=1)
    assert seen and all(thread is not threading.main_thread() and signal.SIGINT in blocked
                        for thread, blocked in seen)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.parametrize("name", sorted(WORK))
def test_ctrl_c_ends_the_work(name, office, tmp_path):
    child = subprocess.Popen([sys.executable, "-c", SCRIPT.format(work=WORK[name]), office, tmp_path],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             start_new_session=True, env=dict(os.environ))
    try:
        assert child.stdout.readline() == "start\n"
        time.sleep(2)
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        print(f"{name}: Ctrl-C took {time.monotonic() - began:.2f} s")
    finally:
        child.kill()
    assert "KeyboardInterrupt" in said and child.returncode != 0
