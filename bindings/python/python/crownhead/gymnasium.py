"""One game against an opponent, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsInt

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete

from . import Agent, Game, shape
from .registration import started
from .rendering import MODES, checked, render

__all__ = ["CheckersEnv"]


class CheckersEnv(gymnasium.Env):
    """You play one side, ``opponent`` the other: an ``Agent``, a function from a game to a move, or ``None`` for
    random moves.

    ``gymnasium.make("crownhead/English-v0")`` makes one, with the arguments below as keywords.

    An observation has ``planes``, ``globals`` and ``action_mask``. The reward is 1 for a win, -1 for a loss,
    else 0. An illegal action loses the game. ``render_mode`` is ``ansi``, the board as text, or ``rgb_array``, a
    small image. Copies and pickled environments continue the game; an ``opponent`` in a pickle must be one that can
    be pickled, such as an agent or a named function.
    """

    metadata = {"render_modes": MODES, "render_fps": 2}

    def __init__(
        self,
        variant: str = "english",
        opponent: Agent | Callable[[Game], str] | None = None,
        nodes: int | None = None,
        plays_first: bool = True,
        render_mode: str | None = None,
    ) -> None:
        numbers = shape(variant)
        self.variant, self.opponent, self.nodes, self.plays_first = variant, opponent, nodes, plays_first
        self.render_mode = checked(render_mode)
        self.action_space = Discrete(numbers["actions"])
        self.observation_space = Dict(
            planes=Box(0.0, 1.0, (numbers["squares"], numbers["planes"]), np.float32),
            globals=Box(0.0, 1.0, (numbers["globals"],), np.float32),
            action_mask=Box(0, 1, (numbers["actions"],), np.int8),
        )
        self.game = Game(variant)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Starts a game, from ``options["fen"]`` if it is given."""
        super().reset(seed=seed)
        self.game = started(self.variant, options)
        if not self.plays_first:
            self._answer()
        return self._observation(), {}

    def step(self, action: SupportsInt) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Plays an action and the opponent's reply."""
        mover, action = self.game.turn, int(action)
        if action not in self.action_space:
            raise ValueError(f"action {action} is not in {self.action_space}")
        if not self.game.action_mask()[action]:
            return self._observation(), -1.0, True, False, {"reason": "illegal"}
        self.game.play(self.game.move_of(action))
        if self.game.status == "ongoing":
            self._answer()
        status = self.game.status
        reward = 0.0 if status in ("ongoing", "draw") else 1.0 if status == mover else -1.0
        return self._observation(), reward, status != "ongoing", False, {"reason": self.game.reason}

    def action_masks(self) -> np.ndarray:
        """1 for each legal action, as MaskablePPO of sb3-contrib asks for."""
        return self.game.action_mask()

    def render(self) -> Any:
        """The board as text, or as an image."""
        return render(self.game, self.render_mode)

    def _answer(self) -> None:
        if isinstance(self.opponent, Agent):
            self.opponent.play(self.game, nodes=self.nodes)
        elif self.opponent is not None:
            self.game.play(self.opponent(self.game))
        else:
            moves = self.game.legal_moves
            self.game.play(moves[self.np_random.integers(len(moves))])

    def _observation(self) -> dict[str, np.ndarray]:
        planes, globals_ = self.game.observation()
        return {"planes": planes, "globals": globals_, "action_mask": self.game.action_mask()}
