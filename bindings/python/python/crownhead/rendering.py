"""Boards as text and as images."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._crownhead import Game

__all__ = ["MODES", "checked", "image", "render"]

MODES = ["ansi", "rgb_array"]

_CELL = 16
_COLORS = {" ": (240, 217, 181), ".": (150, 105, 70), "w": (250, 250, 245), "b": (35, 30, 30), "crown": (220, 170, 50)}


def checked(mode: str | None) -> str | None:
    """The render mode, if there is one of this name."""
    if mode not in [None, *MODES]:
        raise ValueError(f"render_mode is {mode!r}: write {' or '.join(MODES)}, or leave it out")
    return mode


def _disc(radius: float) -> NDArray[np.bool_]:
    """The pixels of a cell that are in a disc at its center."""
    offset = np.arange(_CELL) - (_CELL - 1) / 2
    distance: NDArray[np.float64] = np.hypot(offset[:, None], offset[None, :])
    return distance < radius


_PIECE, _CROWN = _disc(_CELL * 0.42), _disc(_CELL * 0.18)


def image(game: Game) -> NDArray[np.uint8]:
    """The board as an image ``[height, width, 3]``; a king has a spot."""
    rows = game.position.rows
    pixels = np.empty((len(rows), _CELL, len(rows), _CELL, 3), np.uint8)
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            cell = pixels[y, :, x]
            cell[:] = _COLORS[" " if letter == " " else "."]
            if letter.isalpha():
                cell[_PIECE] = _COLORS[letter.lower()]
            if letter.isupper():
                cell[_CROWN] = _COLORS["crown"]
    return pixels.reshape(len(rows) * _CELL, len(rows) * _CELL, 3)


def render(game: Game, mode: str | None) -> Any:
    """The board in a render mode, as text if there is none."""
    return image(game) if mode == "rgb_array" else game.position.diagram()
