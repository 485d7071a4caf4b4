"""Runs of ``crownhead train`` as arrays."""

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from ._crownhead import CrownheadError, recorded_generations, recorded_samples


class Run:
    """The directory of a run, which may still be training.

    ``run.samples(3)["planes"]`` are the positions of generation 3.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)
        settings = self._read("run.toml")
        named = re.search(r'^variant = "(.+)"$', settings or "", re.MULTILINE)
        if named is None:
            raise CrownheadError(f"{self.directory} is not a run: it has no run.toml with a variant")
        self.variant = named[1]

    def _read(self, name: str) -> str | None:
        try:
            return (self.directory / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None

    @property
    def champion(self) -> int | None:
        """The number of the champion; ``None`` before the first one."""
        text = self._read("champion")
        return None if text is None else int(text)

    @property
    def generations(self) -> list[int]:
        """The generations that have games, oldest first."""
        return recorded_generations(self.directory / "games", self.variant)

    def samples(self, generation: int) -> dict[str, np.ndarray]:
        """All positions of a generation's games in order.

        ``planes`` and ``globals`` are as in ``Game.observation``, ``value`` is win, draw and loss after the search
        (``nan`` without a search), ``result`` is 1, 0 or -1, all for the side to move; ``finished`` is false in
        truncated games. ``game`` and ``ply`` identify the position, ``played`` is the action that was played. The
        policy target of position ``i`` is ``policy[policy_start[i]:policy_start[i + 1]]``, the probabilities of the
        actions in the same slice of ``policy_action``; the slice is empty for positions without a target.
        """
        if generation not in self.generations:
            raise CrownheadError(f"{self.directory} has no games of generation {generation}: see Run.generations")
        return recorded_samples(self.directory / "games", self.variant, generation)

    def metrics(self) -> dict[str, np.ndarray]:
        """The curves by tag, with one number per line of ``metrics.jsonl``; ``nan`` for missing values."""
        lines = []
        for text in (self._read("metrics.jsonl") or "").splitlines():
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                continue  # The last line is still being written.
        return _columns(lines)

    def ratings(self) -> dict[str, np.ndarray]:
        """Ratings of champions, oldest first: ``elo`` (above random), ``ci95``, ``generation``..."""
        points = json.loads(self._read("ratings.json") or '{"points": []}')["points"]
        numbers = [{key: n for key, n in point.items() if isinstance(n, int | float)} for point in points]
        return _columns(numbers)


def _columns(lines: Iterable[Mapping[str, float | None]]) -> dict[str, np.ndarray]:
    lines = list(lines)
    keys = dict.fromkeys(key for line in lines for key in line)
    return {key: np.array([line.get(key) for line in lines], np.float64) for key in keys}
