"""One run on a Ray cluster: an actor trains, tasks play."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ray
from ray.util.metrics import Gauge

from .. import CrownheadError
from ._program import Child, ask, find, options

# A generation is cut into at least this many parts, and a worker plays one part at a time.
_PARTS = 64
# The time that the trainer may take to be started on another node before workers make room for it.
_RESTART_S = 20.0
_LOOK_S = 5.0
# Messages of a trainer whose predecessor has not quite ended.
_IS_LOCKED = " is locked by "


@dataclasses.dataclass(frozen=True)
class _Order:
    """What is trained, with everything that the nodes need to know."""

    variant: str
    storage: str
    run: str
    words: list[str]
    program: str | None
    threads: tuple[int, int]
    generations: int | None
    deadline: float | None


class _Trainer:
    """Leads the training, wherever it is started; started again, it resumes the run."""

    def __init__(self, order: _Order) -> None:
        self._order = order
        self._child: Child | None = None
        self._is_stopped = False
        self._gauges = {
            name: Gauge(f"crownhead_{name}", description=what, tag_keys=("run",))
            for name, what in {
                "generation": "Generation that is played or trained",
                "games": "Finished games of self-play",
                "elo": "Rating of the champion, in Elo above random play",
                "waiting_parts": "Parts of the games in progress that are not finished",
                "workers": "Workers that play",
            }.items()
        }

    def train(self) -> dict[str, Any]:
        """Trains to the end, and returns the status of the run."""
        while True:
            self._child = Child(self._command())
            code = self._child.wait(self._look())
            if code == 0 or self._is_stopped:
                return self.status()
            if _IS_LOCKED not in self._child.messages:
                raise CrownheadError(self._child.messages)
            time.sleep(_LOOK_S)

    def _command(self) -> list[str]:
        order = self._order
        if order.generations is not None:
            end = ["--generations", str(order.generations)]
        else:
            assert order.deadline is not None
            end = ["--for", f"{max(1, round(order.deadline - time.time()))}s"]
        place = ["--fleet", order.storage, "--run", order.run, "--threads", str(order.threads[0])]
        return [find(order.program), "train", order.variant, *place, *end, *order.words]

    def _look(self) -> Any:
        """Reports the progress from time to time."""
        last = time.monotonic()

        def look() -> None:
            nonlocal last
            if time.monotonic() - last >= _LOOK_S:
                self._report()
                last = time.monotonic()

        return look

    def _report(self) -> None:
        status, fleet = self.status(), self.fleet() or {}
        workers = [worker for worker in fleet.get("workers", []) if not worker["is_silent"]]
        numbers = {
            "generation": status.get("generation"),
            "games": status.get("games"),
            "elo": (status.get("rating") or {}).get("elo"),
            "waiting_parts": fleet.get("chunks", 0) - fleet.get("finished", 0),
            "workers": len(workers),
        }
        for name, number in numbers.items():
            if number is not None:
                self._gauges[name].set(number, tags={"run": self._order.storage})

    def status(self) -> dict[str, Any]:
        """The contents of the run's ``status.json``."""
        try:
            status: dict[str, Any] = json.loads((Path(self._order.run) / "status.json").read_text(encoding="utf-8"))
        except (OSError, json.JSONDecodeError):
            return {}
        return status

    def fleet(self) -> Any:
        """The answer of ``crownhead fleet status``; ``None`` while workers cannot join."""
        fleet = ask([find(self._order.program), "fleet", "status", self._order.storage])
        return None if fleet is None or fleet["is_over"] else fleet

    def stop(self) -> None:
        """Saves everything and ends the training."""
        self._is_stopped = True
        if self._child is not None:
            self._child.interrupt()


def _work(order: _Order) -> None:
    """Plays for the run until it is over."""
    while True:
        child = Child(
            [find(order.program), "worker", "--join", order.storage, "--threads", str(order.threads[1])]
        )
        code = child.wait()
        if code == 0:
            return
        if code > 0:
            raise CrownheadError(child.messages)
        # Killed, perhaps for its memory.
        time.sleep(_LOOK_S)


class _Workers:
    """The tasks that play. Those that find no room on the cluster wait, which makes an autoscaler add nodes."""

    def __init__(self, order: _Order, count: int) -> None:
        self._order, self._count = order, count
        self._tasks: list[Any] = []

    def start(self) -> None:
        """Submits all tasks; Ray repeats those whose node dies."""
        if not self._tasks:
            name = f"crownhead worker of {self._order.storage}"
            task = ray.remote(_work).options(num_cpus=self._order.threads[1], max_retries=-1, name=name)
            self._tasks = [task.remote(self._order) for _ in range(self._count)]

    def look(self) -> None:
        """Reports workers that have failed; the others play their games."""
        done, self._tasks = ray.wait(self._tasks, num_returns=len(self._tasks), timeout=0) if self._tasks else ([], [])
        for task in done:
            try:
                ray.get(task)
            except ray.exceptions.RayError as error:
                print(f"A worker has ended: {error}", flush=True)

    def stop(self) -> None:
        """Ends all in order."""
        for task in self._tasks:
            ray.cancel(task)
        if self._tasks:
            ray.wait(self._tasks, num_returns=len(self._tasks), timeout=30)
        self._tasks = []


def seconds(text: str | float) -> float:
    """A number of seconds from a text such as 90s, 45m or 1h30m."""
    if not isinstance(text, str):
        return float(text)
    parts = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", text)
    if parts is None or not text:
        raise CrownheadError(f"{text!r} is no duration: write 90s, 45m or 1h30m")
    hours, minutes, rest = (int(number or 0) for number in parts.groups())
    return float(3600 * hours + 60 * minutes + rest)


def train(
    variant: str,
    *,
    storage: str,
    generations: int | None = None,
    duration: str | float | None = None,
    workers: int | str = "auto",
    settings: Mapping[str, Any] | None = None,
    preset: str | None = None,
    run: str | None = None,
    worker_cpus: int = 1,
    trainer_cpus: int = 1,
    program: str | None = None,
) -> dict[str, Any]:
    """Trains a run on the Ray cluster until it has ``generations``, or for a ``duration`` such as ``"2h"``, and
    returns its status. The same call resumes a run.

    ``storage`` is a directory that all nodes see, or a bucket (``s3://BUCKET/FOLDER``; needs a program with the
    feature ``cloud``). The run is kept in the directory; with a bucket, ``run`` names a directory that outlives a node.
    ``settings`` are those of ``crownhead train --set``.

    Each worker is a task that plays on ``worker_cpus`` cores. ``"auto"`` submits as many as can be busy; those that
    find no room wait, which makes the autoscaler add nodes. Nodes may die: Ray starts their workers elsewhere, others
    play the lost games, and the trainer, an actor with ``trainer_cpus`` cores, resumes on another node. The run is
    that of one machine, byte for byte.

    Ctrl-C saves the run and ends everything. The metrics ``crownhead_generation``, ``_games``, ``_elo``,
    ``_waiting_parts`` and ``_workers`` are Ray's; the actor's log has the progress.
    """
    if (generations is None) == (duration is None):
        raise CrownheadError("give either generations or duration")
    if workers == "auto":
        workers = _PARTS
    if not isinstance(workers, int) or workers < 0:
        raise CrownheadError(f'workers is {workers!r}: give a number or "auto"')
    is_bucket = "://" in storage and not storage.startswith("file://")
    if run is None and is_bucket:
        raise CrownheadError(f"{storage} is a bucket: give run, a directory for the run that outlives a node")
    order = _Order(
        variant,
        storage,
        run or storage.removeprefix("file://"),
        options(settings or {}, preset),
        program,
        (trainer_cpus, worker_cpus),
        generations,
        None if duration is None else time.time() + seconds(duration),
    )
    if not ray.is_initialized():
        ray.init()
    # The name is unique in the cluster, so a run has one trainer.
    trainer = (
        ray.remote(_Trainer)
        .options(
            name=f"crownhead trainer of {order.run}",
            namespace="crownhead",
            num_cpus=trainer_cpus,
            max_restarts=-1,
            max_task_retries=-1,
            max_concurrency=3,
        )
        .remote(order)
    )
    try:
        return _follow(trainer, _Workers(order, workers))
    finally:
        ray.kill(trainer)


def _follow(trainer: Any, workers: _Workers) -> dict[str, Any]:
    """Waits for the end of the training; workers play as long as there is a trainer."""
    training = trainer.train.remote()
    look = trainer.fleet.remote()
    asked = time.monotonic()
    try:
        while not ray.wait([training], timeout=0.5)[0]:
            workers.look()
            if ray.wait([look], timeout=0)[0]:
                if ray.get(look) is not None:
                    workers.start()
                look, asked = trainer.fleet.remote(), time.monotonic()
            elif time.monotonic() - asked > _RESTART_S:
                # Its node has died, and the workers may occupy all others.
                workers.stop()
        status: dict[str, Any] = ray.get(training)
        return status
    except KeyboardInterrupt:
        ray.get(trainer.stop.remote())
        ray.wait([training], timeout=60)
        raise
    finally:
        workers.stop()
