"""The environments under the names of ``gymnasium.make``, such as ``crownhead/English-v0``."""

import gymnasium

from ._crownhead import variants

__all__ = ["names", "register"]


def names() -> dict[str, str]:
    """The name of the environment of each variant."""
    return {variant: f"crownhead/{variant.title().replace('-', '')}-v0" for variant in variants()}


def register() -> None:
    """Registers an environment for each variant; ``import crownhead`` calls it."""
    for variant, name in names().items():
        if name not in gymnasium.registry:
            gymnasium.register(name, "crownhead.gymnasium:CheckersEnv", kwargs={"variant": variant})
