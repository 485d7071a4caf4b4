"""Checkers agents: rules of fifteen games, search, and trained networks.

>>> import crownhead
>>> game = crownhead.Game("english")
>>> agent = crownhead.Agent.load("english")
>>> move = agent.play(game, nodes=1000)
>>> game.turn
'white'

``gymnasium.make("crownhead/English-v0")``, ``crownhead.gymnasium`` and ``crownhead.pettingzoo`` are environments
for reinforcement learning; they require those packages. ``VectorEnv`` steps many games at once and only needs numpy. ``Run`` reads the files
of ``crownhead train``. ``Evaluator`` is the interface for your own network; ``Agent.from_evaluator`` searches
with it.
"""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from ._crownhead import (
    Agent,
    Analysis,
    CrownheadError,
    Game,
    Line,
    Move,
    PdnError,
    PdnGame,
    PdnReader,
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
    "PdnError",
    "PdnGame",
    "PdnReader",
    "Position",
    "Run",
    "VectorEnv",
    "random_games",
    "shape",
    "variants",
]

try:
    from .registration import register
except ImportError:
    pass  # Gymnasium is not installed.
else:
    register()


def _restored_agent(function: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Agent:
    """The agent of a pickle."""
    agent: Agent = getattr(Agent, function)(*arguments, **keywords)
    return agent


@runtime_checkable
class Evaluator(Protocol):
    """Interface of your own network, for ``Agent.from_evaluator``.

    ``planes`` is ``[n, squares, planes]`` and ``globals`` is ``[n, globals]``: a batch of observations as in
    ``Game.observation``. Returns values ``[n, 3]``, the probabilities of win, draw and loss for the side to move,
    and logits ``[n, actions]``, where only the logits of legal moves are used; ``shape(variant)`` has the sizes.
    Both may be anything that numpy converts to arrays. The result for a position must only depend on that
    position, because results are cached: after further training create a new agent.

    An exception is passed to the caller of the agent.

    >>> import crownhead, numpy as np
    >>> def evaluator(planes, globals_):
    ...     n = len(planes)
    ...     return np.tile([0.3, 0.4, 0.3], (n, 1)), np.zeros((n, crownhead.shape("english")["actions"]))
    >>> agent = crownhead.Agent.from_evaluator("english", evaluator)
    >>> agent.choose(crownhead.Game("english"), nodes=32)
    '9-13'
    """

    def __call__(self, planes: "np.ndarray", globals: "np.ndarray", /) -> "tuple[np.ndarray, np.ndarray]": ...
