"""Checkers agents: rules of eleven variants, search, and trained networks.

>>> import crownhead
>>> game = crownhead.Game("english")
>>> agent = crownhead.Agent.load("english")
>>> move = agent.play(game, nodes=1000)
>>> game.turn
'white'

``crownhead.gymnasium`` and ``crownhead.pettingzoo`` are environments for reinforcement learning; they need
those packages. ``VectorEnv`` is many games at once, on numpy alone. ``Run`` reads what ``crownhead train`` writes.
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ._crownhead import (
    Agent,
    Analysis,
    CrownheadError,
    Game,
    Line,
    Move,
    Position,
    VectorEnv,
    random_games,
    shape,
    variants,
)
from .runs import Run

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "Agent",
    "Analysis",
    "CrownheadError",
    "Evaluator",
    "Game",
    "Line",
    "Move",
    "Position",
    "Run",
    "VectorEnv",
    "random_games",
    "shape",
    "variants",
]


@runtime_checkable
class Evaluator(Protocol):
    """A network of your own, for ``Agent.from_evaluator``.

    ``planes`` is ``[n, squares, planes]`` and ``globals`` ``[n, globals]``, as the side to move sees the board.
    The answer is values ``[n, 3]``, the probabilities of win, draw and loss for the side to move, and logits
    ``[n, actions]``, of which those of the legal moves count. ``shape(variant)`` has the numbers.
    """

    def __call__(self, planes: "np.ndarray", globals: "np.ndarray", /) -> "tuple[np.ndarray, np.ndarray]": ...
