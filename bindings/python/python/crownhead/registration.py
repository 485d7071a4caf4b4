"""The environments under the names of ``gymnasium.make``, such as ``crownhead/English-v0``."""

from typing import Any

import gymnasium

from ._crownhead import Game, variants

__all__ = ["names", "register", "started"]


def names() -> dict[str, str]:
    """The name of the environment of each variant."""
    return {variant: f"crownhead/{variant.title().replace('-', '')}-v0" for variant in variants()}


def register() -> None:
    """Registers an environment for each variant; ``import crownhead`` calls it."""
    for variant, name in names().items():
        if name not in gymnasium.registry:
            gymnasium.register(name, "crownhead.gymnasium:CheckersEnv", kwargs={"variant": variant})


def started(variant: str, options: dict[str, Any] | None) -> Game:
    """The game that ``reset`` starts, from ``options["fen"]`` if it is given."""
    game = Game(variant, (options or {}).get("fen"))
    if game.status != "ongoing":
        raise ValueError(f"the game is over in {game.fen}: give a position with moves")
    return game
