"""The program ``crownhead`` as a child process."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from threading import Thread
from typing import Any

from .. import CrownheadError

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
# The time in which a child saves its work after an interrupt.
_GRACE_S = 60


def find(program: str | None) -> str:
    """The path of the program on this node: ``program``, or the one in the search path or in this environment."""
    found = shutil.which(program or "crownhead") or shutil.which(
        program or "crownhead", path=sysconfig.get_path("scripts")
    )
    if found is None:
        raise CrownheadError(
            f"there is no program {program or 'crownhead'} on this node: install the wheel of crownhead, "
            "or give its path as program="
        )
    return found


def options(settings: Mapping[str, Any], preset: str | None = None) -> list[str]:
    """The settings as options of ``crownhead train`` and ``fork``."""
    words = [] if preset is None else ["--preset", preset]
    for key, value in settings.items():
        value = value.item() if hasattr(value, "item") else value
        words += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    return words


def ask(command: list[str]) -> Any:
    """The answer of a command in JSON; ``None`` if it fails."""
    answer = subprocess.run([*command, "--format", "json"], capture_output=True, text=True)
    return json.loads(answer.stdout) if answer.returncode == 0 else None


def _prepare() -> None:
    """In the child: a killed node takes the program with it, so that another node may continue its run."""
    # Ray blocks the interrupt in its own processes.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Child:
    """A process whose messages appear among this one's, and which ends with it."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            # A Ctrl-C in a terminal is for the driver.
            start_new_session=True,
            preexec_fn=_prepare if os.name == "posix" else None,
        )
        self._last: deque[str] = deque(maxlen=20)
        assert self._process.stderr is not None
        self._reader = Thread(target=self._forward, args=[self._process.stderr], daemon=True)
        self._reader.start()

    def _forward(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._last.append(line)
            print(line, end="", file=sys.stderr, flush=True)

    def interrupt(self) -> None:
        """Asks it to save its work and end."""
        self._process.send_signal(signal.SIGINT)

    def wait(self, look: Callable[[], None] = lambda: None) -> int:
        """Waits for its end, calling ``look`` from time to time. An exception here, such as the cancellation of a
        task, ends it in order."""
        try:
            # Cancellation by Ray does not interrupt a blocking call.
            while self._process.poll() is None:
                time.sleep(0.2)
                look()
        except BaseException:
            self.interrupt()
            self._end()
            raise
        self._reader.join()
        return self._process.returncode

    def _end(self) -> None:
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    @property
    def messages(self) -> str:
        """Its last messages."""
        return "".join(self._last).strip()


def run(command: list[str]) -> None:
    """Runs a command to its end."""
    child = Child(command)
    if child.wait() != 0:
        raise CrownheadError(child.messages)
