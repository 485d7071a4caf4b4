"""Both sides of a game, as a PettingZoo AEC environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from . import Game, shape
from .registration import started
from .rendering import MODES, checked, render

__all__ = ["env", "raw_env"]


def env(variant: str = "english", render_mode: str | None = None) -> AECEnv:
    """The environment with PettingZoo's standard wrappers."""
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(variant, render_mode), illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class raw_env(AECEnv):
    """``player_0`` makes the first move. An observation has ``observation`` (the planes of the squares),
    ``globals`` and ``action_mask``, as the side to move sees the board; the other side's mask is empty.
    ``render_mode`` is ``ansi``, the board as text, or ``rgb_array``, a small image.
    """

    metadata = {"name": "crownhead_v0", "render_modes": MODES, "render_fps": 2, "is_parallelizable": False}

    def __init__(self, variant: str = "english", render_mode: str | None = None) -> None:
        super().__init__()
        numbers = shape(variant)
        self.variant, self.render_mode = variant, checked(render_mode)
        self.possible_agents = ["player_0", "player_1"]
        self.agents = self.possible_agents[:]
        space = Dict(
            observation=Box(0.0, 1.0, (numbers["squares"], numbers["planes"]), np.float32),
            globals=Box(0.0, 1.0, (numbers["globals"],), np.float32),
            action_mask=Box(0, 1, (numbers["actions"],), np.int8),
        )
        self.observation_spaces = {agent: space for agent in self.agents}
        self.action_spaces = {agent: Discrete(numbers["actions"]) for agent in self.agents}
        self.game = Game(variant)

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game, from ``options["fen"]`` if it is given. The seed has no effect."""
        self.game = started(self.variant, options)
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[0]
        self.colors = {"player_0": self.game.turn, "player_1": "black" if self.game.turn == "white" else "white"}
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The observation of the side to move; the other side's mask is empty."""
        planes, globals_ = self.game.observation()
        mask = self.game.action_mask()
        if agent != self.agent_selection:
            mask = np.zeros_like(mask)
        return {"observation": planes, "globals": globals_, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Plays an action of the side to move; ``None`` once the game is over."""
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[mover] = 0
        self.game.play(self.game.move_of(int(action)))
        status = self.game.status
        for agent in self.agents:
            decided = status not in ("ongoing", "draw")
            self.rewards[agent] = (1 if status == self.colors[agent] else -1) if decided else 0
            self.terminations[agent] = status != "ongoing"
        self.agent_selection = self.possible_agents[1 - self.possible_agents.index(mover)]
        self._accumulate_rewards()

    def render(self) -> Any:
        """The board as text, or as an image."""
        return render(self.game, self.render_mode)
