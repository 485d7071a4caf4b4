"""The wrappers pass the conformance tests of their interfaces."""

import warnings

import pytest

import crownhead

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")


@pytest.mark.parametrize("variant", ["english", "customary", "frisian", "thai", "ringboard"])
def test_gymnasium(variant):
    from gymnasium.utils.env_checker import check_env

    from crownhead.gymnasium import CheckersEnv

    check_env(CheckersEnv(variant), skip_render_check=True)
    for opponent, nodes in [(None, None), (crownhead.Agent.load(f"material:{variant}", hash=1), 20)]:
        env = CheckersEnv(variant, opponent, nodes, plays_first=False)
        observation, _ = env.reset(seed=1)
        done = False
        while not done:
            legal = observation["action_mask"].nonzero()[0]
            observation, reward, done, _, info = env.step(legal[len(env.game.moves) % len(legal)])
        assert reward in (-1.0, 0.0, 1.0) and info["reason"]


@pytest.mark.parametrize("variant", ["english", "customary", "frisian", "thai", "ringboard"])
def test_pettingzoo(variant):
    from pettingzoo.test import api_test, seed_test

    from crownhead.pettingzoo import env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(variant), num_cycles=300)
        seed_test(lambda: env(variant), num_cycles=50)
