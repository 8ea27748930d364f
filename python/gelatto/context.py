"""Context: threads, memory limit, log, progress and cancellation of calls.

Every long call runs in a context of its own, with the settings of the entered Python Context. The
main thread leaves the work to a helper thread, so that Ctrl-C is noticed at once: it cancels the
work, which ends at its next report of progress. A second Ctrl-C does not wait for that."""
from __future__ import annotations

import logging
import os
import signal
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Callable, List, Optional, Set, Tuple, Type, TypeVar, Union

from ._native import ffi, lib
from ._words import sized
from .errors import InterruptedError, check, refuse, text, topic_name

Result = TypeVar("Result")
#: receives (activity, done, total); an exception stops the work
Progress = Callable[[str, int, int], object]

logger = logging.getLogger("gelatto")
_LEVELS = {
    lib.GLT_LOG_DEBUG: logging.DEBUG,
    lib.GLT_LOG_INFO: logging.INFO,
    lib.GLT_LOG_WARNING: logging.WARNING,
}
_PATIENCE = 0.5  # seconds
#: signals for the main thread: one that another thread takes does not wake it
_OF_MAIN = signal.valid_signals() - {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}
_entered = threading.local()


class Context:
    """Settings for the calls of a with block, in the thread that entered it.

    threads: 0 for all cores. memory_limit: bytes that the library may hold, 0 for no limit.
    progress: a function (activity, done, total), or True for a bar of tqdm, if it is installed.
    cancel() may be called from any thread. Log lines go to the logger "gelatto" of logging, in
    every context.

    >>> import gelatto
    >>> with gelatto.Context(threads=1, progress=lambda activity, done, total: None):
    ...     cloud = gelatto.Cloud([[0.0, 0.0, 0.0]])
    """

    def __init__(self, *, threads: int = 0, memory_limit: int = 0,
                 progress: Union[Progress, bool, None] = None) -> None:
        self.threads = threads
        self.memory_limit = memory_limit
        self.progress = progress
        self._running: Set[Call] = set()
        self._cancelled = False

    def __repr__(self) -> str:
        state = ", cancelled" if self._cancelled else ""
        return f"<gelatto.Context: threads={self.threads}, memory_limit={self.memory_limit}{state}>"

    def __enter__(self) -> Context:
        _entered.contexts = (*_contexts(), self)
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        _entered.contexts = _contexts()[:-1]

    @property
    def cancelled(self) -> bool:
        """Whether cancel was called."""
        return self._cancelled

    def cancel(self) -> None:
        """Stops the calls that work in this context, and all later ones: they raise
        gelatto.InterruptedError. A training run writes a checkpoint first."""
        self._cancelled = True
        for call in list(self._running):
            call.cancel()

    # No lock is needed: a call added after the list was made sees that the context is cancelled.

    def _begin(self, call: Call) -> None:
        self._running.add(call)
        if self._cancelled:
            call.cancel()

    def _end(self, call: Call) -> None:
        self._running.discard(call)


def _contexts() -> Tuple[Context, ...]:
    """The contexts that this thread has entered; the last one applies."""
    found: Tuple[Context, ...] = getattr(_entered, "contexts", ())
    return found


class Call:
    """One call of the library: its C context, what it uses, and the exception of a callback."""

    def __init__(self, keep: Tuple[Any, ...]) -> None:
        self.settings = (_DEFAULTS, *_contexts())[-1]
        self.keep = keep
        self.error: Optional[BaseException] = None
        self.bar: Optional[Bar] = None
        self.progress: Optional[Progress] = None
        if self.settings.progress is True:
            self.bar = Bar()
            self.progress = self.bar
        elif callable(self.settings.progress):
            self.progress = self.settings.progress
        self.handle: Any = ffi.new_handle(self)
        self.pointer = self._create()

    def _create(self) -> Any:
        options = sized("struct glt_context_options")
        options.threads = self.settings.threads
        options.memory_limit = self.settings.memory_limit
        options.log = lib.gelatto_log
        options.log_user = self.handle
        if self.progress:
            options.progress = lib.gelatto_progress
            options.progress_user = self.handle
        out = ffi.new("struct glt_context **")
        check(lib.glt_context_create(out, options))
        return ffi.gc(out[0], lib.glt_context_free)

    def cancel(self) -> None:
        lib.glt_context_cancel(self.pointer)

    def note(self, error: BaseException) -> None:
        """Keeps the first exception of a callback."""
        if self.error is None:
            self.error = error

    def run(self, work: Callable[[], Result]) -> Result:
        """Does the work in this thread. The exception of a callback is raised here."""
        before = lib.glt_context_use(self.pointer)
        self.settings._begin(self)
        try:
            found = work()
        except Exception as error:
            if self.error is None:
                raise
            raise self.error from (None if isinstance(error, InterruptedError) else error)
        finally:
            self.settings._end(self)
            lib.glt_context_use(before)
            self.handle = None  # breaks the cycle with this call: both are freed at once
            if self.bar is not None:
                self.bar.close()
        if self.error is not None:  # of a log callback, which cannot stop the work
            raise self.error
        return found


def run(work: Callable[[], Result], *, keep: Tuple[Any, ...] = (), leave: bool = False,
        short: bool = False) -> Result:
    """Does work that may take long, in the context of this thread. leave: after Ctrl-C, wait only a
    moment for work that writes no file; it ends in the background. keep: what C structs of the work
    point to, because work that is left, also by a second Ctrl-C, outlives the caller. short: it
    takes less than a second and needs no helper thread."""
    call = Call(keep)
    if short or threading.current_thread() is not threading.main_thread():
        return call.run(work)
    helper = _idle.pop() if _idle else _Helper()
    found: Result = helper.run(call, work, leave)
    _idle.append(helper)
    return found


_Outcome = Tuple[Any, Optional[BaseException]]


class _Helper:
    """A thread that works while the main thread waits for it or for a signal. It is kept for the
    next call, unless its work failed or was left."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[Optional[Callable[[], _Outcome]]] = SimpleQueue()
        self.outcomes: SimpleQueue[_Outcome] = SimpleQueue()
        threading.Thread(target=self._loop, name="gelatto", daemon=True).start()

    def _loop(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, _OF_MAIN)  # also in threads that start here
        while self._work():
            pass

    def _work(self) -> bool:
        """Does one job, and keeps no reference to it. None ends the thread."""
        job = self.jobs.get()
        self.outcomes.put(job() if job else (None, None))
        return job is not None

    def run(self, call: Call, work: Callable[[], Any], leave: bool) -> Any:
        contexts = _contexts()

        def job() -> _Outcome:
            _entered.contexts = contexts
            try:
                return call.run(work), None
            except BaseException as error:  # any exception goes to the main thread
                return None, error

        try:
            self.jobs.put(job)
            found, error = self.outcomes.get()
        except BaseException:  # KeyboardInterrupt, or what another signal handler raised
            call.cancel()
            self.jobs.put(None)
            with suppress(Empty):
                self.outcomes.get(timeout=_PATIENCE if leave else None)
            raise
        if error is not None:
            self.jobs.put(None)
            raise error
        return found


_idle: List[_Helper] = []
os.register_at_fork(after_in_child=_idle.clear)  # a child has no threads


class Bar:
    """Progress as a bar of tqdm, or nothing if that is not installed."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped,unused-ignore]
        except ImportError:
            logger.info("progress is not shown: tqdm is not installed")
            tqdm = None
        self.tqdm: Any = tqdm
        self.bar: Any = None
        self.activity = ""

    def __call__(self, activity: str, done: int, total: int) -> None:
        if self.tqdm is None:
            return
        if self.bar is None or activity != self.activity:
            self.close()
            self.activity = activity
            self.bar = self.tqdm(desc=activity, total=total, leave=False)
        self.bar.total = total
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


def configure(*, threads: Optional[int] = None, memory_limit: Optional[int] = None,
              progress: Union[Progress, bool, None] = None) -> None:
    """Sets the defaults of calls outside of any Context, for all threads.

    >>> import gelatto
    >>> gelatto.configure(threads=0)
    """
    if threads is not None:
        if threads < 0:
            raise refuse(f"threads = {threads}: give 0 (all cores) or more", "threads")
        _DEFAULTS.threads = threads
    if memory_limit is not None:
        if memory_limit < 0:
            raise refuse(f"memory_limit = {memory_limit}: give bytes, or 0 for no limit",
                         "memory_limit")
        _DEFAULTS.memory_limit = memory_limit
    if progress is not None:
        _DEFAULTS.progress = progress


_DEFAULTS = Context()


@ffi.def_extern()  # type: ignore[untyped-decorator]
def gelatto_log(user: Any, level: int, message: Any) -> None:
    try:
        about = {"topic": topic_name(lib.glt_log_topic()), "about": text(lib.glt_log_name())}
        logger.log(_LEVELS.get(level, logging.INFO), "%s", text(message), extra=about)
    except BaseException as error:
        ffi.from_handle(user).note(error)


@ffi.def_extern(error=1)  # type: ignore[untyped-decorator]
def gelatto_progress(user: Any, activity: Any, done: int, total: int) -> int:
    call: Call = ffi.from_handle(user)
    try:
        if call.progress is not None:
            call.progress(text(activity), done, total)
    except BaseException as error:
        call.note(error)
        return 1
    return 0
