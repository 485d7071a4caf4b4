"""The wrappers pass the conformance tests of their interfaces."""

import copy
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import crownhead

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")


@pytest.mark.parametrize("variant", crownhead.variants())
def test_gymnasium(variant):
    from gymnasium.utils.env_checker import check_env

    from crownhead.registration import names

    made = gymnasium.make(names()[variant])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made.unwrapped)
    assert made.unwrapped.variant == variant


@pytest.mark.parametrize("variant", crownhead.variants())
def test_whole_games_of_gymnasium(variant):
    from crownhead.gymnasium import CheckersEnv

    for opponent, nodes in [(None, None), (crownhead.Agent.load(f"material:{variant}", hash=1), 20)]:
        env = CheckersEnv(variant, opponent, nodes, plays_first=False)
        observation, _ = env.reset(seed=1)
        done = False
        while not done:
            legal = observation["action_mask"].nonzero()[0]
            observation, reward, done, _, info = env.step(legal[len(env.game.moves) % len(legal)])
        assert reward in (-1.0, 0.0, 1.0) and info["reason"]


def test_gymnasium_ends_illegal_actions_and_refuses_unknown_ones():
    from crownhead.gymnasium import CheckersEnv

    env = CheckersEnv("english")
    observation, _ = env.reset(seed=1)
    illegal = int((observation["action_mask"] == 0).nonzero()[0][0])
    _, reward, done, _, info = env.step(illegal)
    assert (reward, done, info["reason"]) == (-1.0, True, "illegal")
    for action in (-1, int(env.action_space.n)):
        with pytest.raises(ValueError, match=f"action {action} is not in Discrete"):
            env.step(action)


def test_importing_the_package_registers_all_variants():
    code = """
        import gymnasium, crownhead
        assert gymnasium.make("crownhead/English-v0").unwrapped.variant == "english"
        assert gymnasium.make("crownhead/ThaiLiftAfter-v0", plays_first=False).reset(seed=1)
        ours = [name for name in gymnasium.registry if name.startswith("crownhead/")]
        assert len(ours) == len(crownhead.variants()), ours
        made = gymnasium.make_vec("crownhead/Frisian-v0", num_envs=2)
        assert made.reset(seed=1)[0]["planes"].shape == (2, 50, 6)
    """
    subprocess.run([sys.executable, "-c", "if True:" + code], check=True)


def test_masks_are_those_that_spaces_and_algorithms_ask_for():
    env = gymnasium.make("crownhead/Frisian-v0")
    observation, _ = env.reset(seed=3)
    for _ in range(20):
        masks = env.get_wrapper_attr("action_masks")()
        assert masks.dtype == np.int8 and (masks == observation["action_mask"]).all()
        action = env.action_space.sample(masks)
        assert masks[action] == 1
        observation, _, done, _, _ = env.step(action)
        if done:
            observation, _ = env.reset()
    vector = crownhead.VectorEnv("english", 2)
    assert vector.mask.dtype == crownhead.Game("english").action_mask().dtype == np.int8


def opponent_with_a_name(game):
    return game.legal_moves[-1]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
@pytest.mark.parametrize("opponent", [None, opponent_with_a_name, crownhead.Agent.load("material:english", hash=1)])
def test_copies_of_gymnasium_continue_the_game(duplicate, opponent):
    env = gymnasium.make("crownhead/English-v0", opponent=opponent, nodes=20)
    observation, _ = env.reset(seed=5)
    for _ in range(4):
        observation, *_ = env.step(int(observation["action_mask"].nonzero()[0][-1]))
    other, done = duplicate(env), False
    assert other.unwrapped.game.moves == env.unwrapped.game.moves and other.unwrapped.game is not env.unwrapped.game
    while not done:
        action = int(observation["action_mask"].nonzero()[0][0])
        observation, reward, done, _, info = env.step(action)
        others, *rest = other.step(action)
        assert rest == [reward, done, False, info]
        assert all((observation[key] == others[key]).all() for key in observation)
    assert other.unwrapped.game.moves == env.unwrapped.game.moves


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_of_pettingzoo_continue_the_game(duplicate):
    from crownhead.pettingzoo import env

    played = env("thai")
    played.reset(seed=1)
    for ply in range(500):
        if ply == 9:
            other = duplicate(played)
        observation, reward, done, _, _ = played.last()
        action = None if done else int(observation["action_mask"].nonzero()[0][ply % 2 - 1])
        if ply >= 9:
            assert other.agent_selection == played.agent_selection and other.last()[1:3] == (reward, done)
            other.step(action)
        played.step(action)
        if not played.agents:
            break
    assert not other.agents and other.unwrapped.game.moves == played.unwrapped.game.moves


def test_boards_are_drawn():
    from crownhead.gymnasium import CheckersEnv
    from crownhead.pettingzoo import env

    fen = "W:WK1,22:BK32,9"
    for mode in ["ansi", "rgb_array", None]:
        alone = gymnasium.make("crownhead/English-v0", render_mode=mode).unwrapped
        both = env("english", render_mode=mode)
        alone.reset(options={"fen": fen}), both.reset(options={"fen": fen})
        for made in [alone, both.unwrapped]:
            drawn = made.render()
            if mode != "rgb_array":
                assert drawn.splitlines()[0] == "  1 |   W   .   .   . | 4"
                assert drawn.splitlines()[2] == "  9 |   b   .   .   . | 12" and drawn.endswith("white to move")
                continue
            assert drawn.shape == (128, 128, 3) and drawn.dtype == np.uint8
            at = {name: tuple(drawn[y, x]) for name, (y, x) in {
                "light": (8, 8), "dark": (8, 56), "king": (8, 24), "rim": (8, 19), "black": (40, 24), "white": (88, 40),
            }.items()}
            assert at["rim"] == at["white"] and len(set(at.values())) == 5
    for make in [CheckersEnv, env]:
        with pytest.raises(ValueError, match="render_mode is 'human': write ansi or rgb_array, or leave it out"):
            make("english", render_mode="human")
        with pytest.raises(ValueError, match="the game is over in W:W:B1"):
            make("english").reset(options={"fen": "W:W:B1"})


@pytest.mark.parametrize("variant", crownhead.variants())
def test_pettingzoo(variant):
    from pettingzoo.test import api_test, seed_test

    from crownhead.pettingzoo import env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(variant), num_cycles=300)
        seed_test(lambda: env(variant), num_cycles=50)
