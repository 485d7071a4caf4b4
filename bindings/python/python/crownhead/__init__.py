"""Checkers agents: rules of eleven variants, search, and trained networks.

>>> import crownhead
>>> game = crownhead.Game("english")
>>> agent = crownhead.Agent.load("english")
>>> move = agent.play(game, nodes=1000)
>>> game.turn
'white'

``crownhead.gymnasium`` and ``crownhead.pettingzoo`` are environments for reinforcement learning; they need
those packages. ``VectorEnv`` is many games at once, on numpy alone. ``Run`` reads what ``crownhead train`` writes.
``Evaluator`` is what a network of your own has to answer; ``Agent.from_evaluator`` searches with it.
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
    __version__,
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

    ``planes`` is ``[n, squares, planes]`` and ``globals`` ``[n, globals]``: what ``Game.observation`` gives for one
    position. The answer is values ``[n, 3]``, the probabilities of win, draw and loss for the side to move, and logits
    ``[n, actions]``, of which only those of the legal moves count; ``shape(variant)`` has the numbers. Both may be
    whatever numpy makes arrays of. What is said of a position may depend on that position alone, since answers are
    remembered: after further training make a new agent.

    An exception comes out of the call that asked the agent.

    >>> import crownhead, numpy as np
    >>> def evaluator(planes, globals_):
    ...     n = len(planes)
    ...     return np.tile([0.3, 0.4, 0.3], (n, 1)), np.zeros((n, crownhead.shape("english")["actions"]))
    >>> agent = crownhead.Agent.from_evaluator("english", evaluator)
    >>> agent.choose(crownhead.Game("english"), nodes=32)
    '9-13'
    """

    def __call__(self, planes: "np.ndarray", globals: "np.ndarray", /) -> "tuple[np.ndarray, np.ndarray]": ...
