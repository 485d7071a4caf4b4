"""Tests of the module: games, agents, environments, and their errors."""

import copy
import doctest
import gc
import json
import os
import pathlib
import pickle
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import crownhead
from crownhead import Agent, CrownheadError, Game, Position, Run, VectorEnv

AGENTS = pathlib.Path(__file__).parents[3] / "players/bundled"


def test_docstrings_are_true():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    owners = [crownhead, *(getattr(crownhead, name) for name in crownhead.__all__)]
    owners += [getattr(owner, name) for owner in owners if isinstance(owner, type) for name in vars(owner)]
    texts = {getattr(owner, "__doc__", None) or "" for owner in owners}
    n_examples = 0
    for text in texts:
        test = parser.get_doctest(text, {}, "docstring", None, 0)
        n_examples += len(test.examples)
        runner.run(test)
    assert runner.summarize().failed == 0 and n_examples > 20


def test_every_variant_plays_random_games():
    for variant in crownhead.variants():
        results, plies = crownhead.random_games(variant, 20, seed=3)
        assert set(results) <= {-1, 0, 1} and plies.min() > 0
        assert (crownhead.random_games(variant, 20, seed=3)[1] == plies).all()


def test_games_and_positions():
    game, position = Game("frisian"), Position("frisian")
    while game.status == "ongoing" and len(game.moves) < 60:
        move = game.legal_moves[len(game.moves) % len(game.legal_moves)]
        assert move.path[0] == move.start and move.path[-1] == move.end
        position = position.play(move)
        assert game.play(move) == move
        assert game.position == position and hash(game.position) == hash(position)
    other = game.copy()
    (read,) = Game.from_pdn(game.pdn(White="a", Black='b "c"'))
    assert read.moves == game.moves == other.moves
    game.take_back()
    assert len(game.moves) == len(other.moves) - 1


def of_kings():
    """A game of kings, three plies before a position occurs for the third time."""
    kings = Game("english", "W:WK32,K31:BK1,K2")
    for text in ["32-28", "1-5", "28-32", "5-1", "32-28"]:
        kings.play(text)
    return kings


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it)), Game.copy])
def test_copies_of_games_have_their_past(duplicate):
    game = of_kings()
    other = duplicate(game)
    assert other is not game and other.moves == game.moves and other.position == game.position
    assert [it.observation()[1].tolist() for it in (game, other)][0] == other.observation()[1].tolist()
    for text in ["1-5", "28-32", "5-1"]:
        assert other.status == game.status == "ongoing"
        other.play(text), game.play(text)
    assert other.status == game.status == "draw" and other.reason == game.reason == "repetition"
    game.take_back()
    assert other.status == "draw"


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
@pytest.mark.parametrize("variant", crownhead.variants())
def test_copies_of_positions_moves_and_many_games_are_equal(duplicate, variant):
    env = VectorEnv(variant, 4, seed=9)
    for _ in range(60):
        env.step(env.random_actions())
    other = duplicate(env)
    assert len(other) == 4 and (other.mask == env.mask).all() and (other.dones == env.dones).all()
    for _ in range(60):
        actions = env.random_actions()
        assert (other.random_actions() == actions).all()
        env.step(actions), other.step(actions)
        assert (other.planes == env.planes).all() and (other.globals == env.globals).all()
        assert (other.rewards == env.rewards).all() and other.game(2).moves == env.game(2).moves
    position = env.game(0).position
    assert duplicate(position) == position and duplicate(position).fen == position.fen
    for move in position.legal_moves:
        assert duplicate(move) == move and duplicate(move).path == move.path


def test_analyses_are_copied():
    game = Game("english")
    for agent in [Agent.load("material:english", hash=1), Agent.load("bundled:english")]:
        found = agent.analyse(game, nodes=50, lines=2)
        for other in [pickle.loads(pickle.dumps(found)), copy.deepcopy(found)]:
            assert repr(other) == repr(found) and other.nodes == found.nodes
            for name in ["moves", "value", "proof", "plies", "depth", "visits"]:
                assert [getattr(line, name) for line in other.lines] == [getattr(line, name) for line in found.lines]


def test_precisions_differ_little():
    f32, int8 = (Agent.load("bundled:english", precision=precision) for precision in ["f32", "int8"])
    assert f32.value(Game("english")) == pytest.approx((0.3858050, 0.2882840, 0.3259110), abs=1e-5)
    assert int8.value(Game("english")) == pytest.approx(f32.value(Game("english")), abs=0.05)
    assert pickle.loads(pickle.dumps(f32)).value(Game("english")) == f32.value(Game("english"))


def agents_value(planes, globals_):
    return np.tile([0.5, 0.25, 0.25], (len(planes), 1)), np.zeros((len(planes), 4096))


def test_copies_of_agents_choose_alike():
    model = (AGENTS / "english.safetensors").read_bytes()
    for agent in [
        Agent.load("material:english", hash=4),
        Agent.from_bytes(model, name="mine", hash=4),
        Agent.from_evaluator("english", agents_value, name="mine"),
    ]:
        assert copy.deepcopy(agent) is copy.copy(agent) is agent
        other = pickle.loads(pickle.dumps(agent))
        assert other.name == agent.name
        assert other.choose(Game("english"), nodes=50) == agent.choose(Game("english"), nodes=50)


PDN = """[White "Петров"]
[Result "2-0"]
[GameType "20"]
{first} 1. 32-28! {good} 19-23 {[%clk 0:01:02]} 2-0

[White "Anna"]
[GameType "20"]
1. 32-28 {kept} 1-2 {lost} 3. 37-32 *

[White "Bert"]
[GameType "1"]
1. e2-e4 *

[White "Cleo"]
[GameType "20"]
1. 33-29 (1. 32-28) *
"""


@pytest.mark.parametrize("form", ["text", "bytes", "str path", "path", "cp1251"])
def test_a_bad_game_of_pdn_costs_no_other(form, tmp_path):
    path = tmp_path / "games of all.pdn"
    path.write_text(PDN, encoding="utf-8")
    source = {"text": PDN, "bytes": PDN.encode(), "str path": str(path), "path": path, "cp1251": PDN.encode("cp1251")}[form]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        reader = Game.read_pdn(source)
        assert iter(reader) is reader
        good, bad, other, last = reader
    assert len(caught) == (form == "cp1251") and all("windows-1251" in str(it.message) for it in caught)
    assert reader.encoding == ("windows-1251" if form == "cp1251" else "UTF-8")
    assert good.tags == {"White": "Петров", "Result": "2-0", "GameType": "20"} and good.error is None
    assert (good.number, good.line, good.result, good.game.moves) == (1, 1, "white", ["32-28", "19-23"])
    assert (good.comment, good.comments, good.glyphs) == ("first", ["good", ""], ["!", ""])
    assert good.data == [{}, {"clk": "0:01:02"}]
    assert (bad.game.moves, bad.comments, bad.written) == (["32-28"], ["kept"], ["32-28", "1-2", "37-32"])
    assert isinstance(bad.error, crownhead.PdnError) and isinstance(bad.error, CrownheadError)
    assert (bad.error.game, bad.error.line) == (2, 8) and "`1-2` is not a legal move" in bad.error.message
    assert str(bad.error) == bad.error.message and pickle.loads(pickle.dumps(bad.error)).line == 8
    assert other.game is None and other.written == ["e2-e4"] and "GameType 1" in str(other.error)
    assert (last.number, last.line, last.game.moves, last.result) == (4, 14, ["33-29"], "ongoing")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_games_of_pdn_are_copied(duplicate):
    names = [name for name in vars(crownhead.PdnGame) if not name.startswith("_")]
    assert {"game", "tags", "data", "written", "error"} < set(names)
    for read in Game.read_pdn(PDN):
        other = duplicate(read)
        assert repr(other) == repr(read)
        for name in names:
            mine, its = getattr(read, name), getattr(other, name)
            if name == "game":
                assert (mine and mine.moves) == (its and its.moves)
            elif name == "error":
                assert (mine and vars(mine)) == (its and vars(its))
            else:
                assert mine == its, name
    if duplicate is not copy.copy:
        other.game.play("17-21"), other.tags.clear()
        assert len(read.game.moves) == 1 and read.tags


def test_sources_of_pdn(tmp_path):
    assert list(Game.read_pdn("")) == [] and list(Game.read_pdn(b"")) == []
    (only,) = Game.read_pdn("1. 11-15 *", variant="english")
    assert only.game.variant == "english"
    # The second game tells which variant the first is of.
    env = VectorEnv("frisian", 1, seed=4)
    for _ in range(40):
        env.step(env.random_actions())
    told = f"1. 32-28 *\n\n1. {' '.join(env.game(0).moves)} *\n"
    assert [read.game.variant for read in Game.read_pdn(told)] == ["frisian"] * 2
    assert [game.moves for game in Game.from_pdn(told)] == [read.game.moves for read in Game.read_pdn(told)]
    latin = '[White "Müller"]\n1. 32-28 *'
    (read,) = Game.read_pdn(latin.encode("cp1252"), "international", encoding="latin1")
    assert read.tags["White"] == "Müller"
    (tmp_path / "plain").write_bytes(latin.encode("utf-16"))
    (read,) = Game.read_pdn(tmp_path / "plain", "international", encoding="utf-16")
    assert read.tags["White"] == "Müller"
    for missing in ["missing.pdn", "no/such file.pdn", pathlib.Path("missing")]:
        with pytest.raises(FileNotFoundError, match="missing|no/such"):
            Game.read_pdn(missing)
    with pytest.raises(OSError):
        Game.read_pdn(tmp_path)
    with pytest.raises(CrownheadError, match="unknown encoding `klingon`"):
        Game.read_pdn("1. 11-15 *", encoding="klingon")
    with pytest.raises(CrownheadError, match="unknown variant `chess`"):
        Game.read_pdn("1. 11-15 *", "chess")
    with pytest.raises(TypeError, match="the source is int"):
        Game.read_pdn(5)


def test_many_games_are_read_one_by_one(tmp_path):
    path = tmp_path / "many.pdn"
    path.write_text((Game("english", moves=["11-15"]).pdn(White="a") + "\n\n") * 20_000)
    assert sum(len(read.game.moves) for read in Game.read_pdn(path)) == 20_000


def test_actions_and_moves():
    game = Game("ringboard")
    for _ in range(40):
        (actions,) = game.action_mask().nonzero()
        assert len(actions) == len(game.legal_moves)
        assert {game.move_of(int(a)) for a in actions} == {move.text for move in game.legal_moves}
        assert all(game.action_of(game.move_of(int(a))) == a for a in actions)
        game.play(game.move_of(int(actions[0])))
    planes, globals_ = game.observation()
    assert planes.shape == (50, 6) and globals_.shape == (4,)


@pytest.mark.parametrize("source", ["thai", "bundled:thai", "material:thai", AGENTS / "thai.safetensors"])
def test_agents(source):
    agent, game = Agent.load(source, hash=4), Game("thai")
    assert agent.variant == "thai"
    assert agent.choose(game, nodes=200) == agent.choose(game, nodes=200)
    assert agent.choose_many([game, game], nodes=200) == [agent.choose(game, nodes=200)] * 2
    assert agent.play(game, depth=3) == game.moves[0]
    analysis = agent.analyse(game, nodes=500, lines=2)
    assert len(analysis.lines) == 2 and analysis.nodes > 0 and sum(analysis.lines[0].value) == pytest.approx(1)
    assert sum(agent.value(game)) == pytest.approx(1)
    seen = []
    agent.analyse(game, report=lambda found: seen.append(found) or len(seen) < 3)
    assert len(seen) >= 3
    loaded = Agent.from_bytes((AGENTS / "thai.safetensors").read_bytes())
    assert loaded.judge([game])[0][0] == loaded.value(game)


def test_players_of_the_command_line_are_agents():
    agent = Agent.load("ab:bundled")
    assert {"english", "frisian", "russian"} <= set(agent.variants) and agent.variant == agent.variants[0]
    for variant in ["english", "frisian"]:
        game = Game(variant)
        assert agent.choose(game, nodes=200) in [move.text for move in game.legal_moves]
        assert agent.choose(game, nodes=200) == Agent.load(variant).choose(game, nodes=200)
    game = Game("thai")
    for source in ["random", "alphabeta:depth=2", "mcts:rollouts=50", "bundled:thai,sims=8", "makhos"]:
        assert Agent.load(source).choose(game, nodes=100) in [move.text for move in game.legal_moves], source
    with pytest.raises(CrownheadError, match="is a Hub engine already"):
        Agent.load("hub:engine")


def test_agents_are_held_back():
    for source in ["bundled:english", AGENTS / "thai.safetensors"]:
        game = Game("english" if source == "bundled:english" else "thai")
        least, most = Agent.load(source).elo_range
        elo = (least + most) / 2
        held = [Agent.load(source, elo=elo, seed=seed) for seed in range(12)]
        choices = [agent.choose(game) for agent in held]
        assert choices == [Agent.load(f"{source},elo={elo},seed={seed}").choose(game) for seed in range(12)]
        assert choices == [agent.choose_many([game])[0] for agent in held]
        weakest = [Agent.load(source, elo=least, seed=seed).choose(game) for seed in range(12)]
        assert len(set(weakest)) > 1
        with pytest.raises(CrownheadError, match=f"measured strengths go from {least:.0f} to {most:.0f}"):
            Agent.load(source, elo=most + 1)
    with pytest.raises(CrownheadError, match="was not measured"):
        Agent.load("material:english", elo=500)


def test_options_of_a_player_are_those_of_keywords():
    game = Game("english")
    for source, keywords in [("english,threads=1,hash=2", {"hash": 2}), ("bundled:english,precision=f32", {"precision": "f32"})]:
        agent, same = Agent.load(source), Agent.load(source.split(",")[0], **keywords)
        assert agent.elo_range == same.elo_range and agent.value(game) == same.value(game)
        assert Agent.load(f"{source},elo=900").choose(game) == Agent.load(source, elo=900).choose(game)


def test_a_run_is_arrays(tmp_path):
    fixture = pathlib.Path(__file__).parents[3] / "store/tests/fixtures/v1/english/000001-000.seg"
    with pytest.raises(CrownheadError, match="is not a run"):
        Run(tmp_path)
    (tmp_path / "run.toml").write_text('# Settings.\nvariant = "english"\n')
    run = Run(tmp_path)
    assert (run.variant, run.champion, run.generations, run.metrics(), run.ratings()) == ("english", None, [], {}, {})
    (tmp_path / "games").mkdir()
    shutil.copy(fixture, tmp_path / "games")
    (tmp_path / "champion").write_text("000042\n")
    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "loss/value": 0.5}\n{"step": 2, "loss/value": null}\n{"st')
    (tmp_path / "ratings.json").write_text('{"zero": "random", "points": [{"model": 3, "elo": 12.5, "results": []}]}')
    assert (run.champion, run.generations) == (42, [1])
    assert run.ratings() == {"model": np.array([3.0]), "elo": np.array([12.5])}
    np.testing.assert_equal(run.metrics(), {"step": np.array([1.0, 2.0]), "loss/value": np.array([0.5, np.nan])})
    samples = run.samples(1)
    n = len(samples["game"])
    assert samples["planes"].shape == (n, 32, 6) and samples["globals"].shape == (n, 4)
    assert set(samples["game"]) == {0, 1, 2} and len(samples["policy_start"]) == n + 1
    # The first game of games.txt: three random moves, two forced ones, then the first search.
    start, end = samples["policy_start"][5:7]
    assert samples["policy_start"][5] == 0 and np.isnan(samples["value"][3]).all()
    np.testing.assert_allclose(samples["value"][5], [0.3373, 0.1059, 0.5569], atol=1e-4)
    np.testing.assert_allclose(samples["policy"][start:end][:3], [0.0020, 0.0033, 0.1437], atol=1e-4)
    game = Game("english")
    for text in ["11-16", "23-18", "10-15", "18x11", "8x15"]:
        assert game.move_of(int(samples["played"][len(game.moves)])) == text
        game.play(text)
    np.testing.assert_array_equal(game.observation()[0], samples["planes"][5])
    assert {game.move_of(int(action)) for action in samples["policy_action"][start:end]} == {m.text for m in game.legal_moves}
    assert game.move_of(int(samples["played"][5])) == "24-19"
    assert set(samples["result"]) <= {-1, 0, 1}
    with pytest.raises(CrownheadError, match="has no games of generation 2: see Run.generations"):
        run.samples(2)


def test_mistakes_are_explained():
    for part, call in [
        ("unknown variant `chess`", lambda: Game("chess")),
        ("square 99 is not on the english board", lambda: Game("english", "W:W99:B1")),
        ("`1-5` is not a legal move here", lambda: Game("english").play("1-5")),
        ("no move to take back", lambda: Game("english").take_back()),
        ("failed to read /nowhere", lambda: Agent.load("/nowhere/at/all")),
        ("bytes cannot be used", lambda: Agent.from_bytes(b"damaged")),
        ("plays thai, not english", lambda: Agent.load("material:thai").choose(Game("english"))),
        ("seconds is -1", lambda: Agent.load("material:thai").choose(Game("thai"), seconds=-1)),
        ("has no policy", lambda: Agent.load("material:thai").policy(Game("thai"))),
        ("the game is over", lambda: Agent.load("material:english").choose(Game("english", "W:W:B1"))),
        ("hash is 70000: write 65536 or less", lambda: Agent.load("material:thai", hash=70_000)),
        ('precision is "f16": write f32 or int8', lambda: Agent.load("bundled:thai", precision="f16")),
        ("nodes is 0", lambda: Agent.load("material:thai").serve_hub(nodes=0)),
    ]:
        with pytest.raises(CrownheadError, match=part):
            call()
    for n in (0, 65_537, 10**12):
        with pytest.raises(ValueError, match=f"n is {n}: write 1 to 65536"):
            VectorEnv("english", n)
    with pytest.raises(ValueError, match="write 10000000 or less"):
        crownhead.random_games("english", 2**60)
    env = VectorEnv("english", 2)
    with pytest.raises(CrownheadError, match="action -1 of game 0 is not legal"):
        env.step(np.array([-1, 0]))
    with pytest.raises(ValueError, match="1 actions for 2 games"):
        env.step(np.array([1]))
    env.step(np.repeat(env.random_actions(), 2)[::2])
    with pytest.raises(ValueError, match="not of 2 unfinished games of english"):
        env.__setstate__(VectorEnv("frisian", 2).__getstate__())
    for call in [Game("english").play, Position("english").play, lambda move: Game("english", moves=[move])]:
        with pytest.raises(TypeError, match="a move is int: give a Move, or its text"):
            call(7)
    for source in [None, 5, ["english"]]:
        with pytest.raises(TypeError, match="the source is .*: give the name of a player, or a path"):
            Agent.load(source)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory")
def test_memory_that_the_system_refuses_does_not_end_the_interpreter():
    code = """
        import resource
        from crownhead import Agent
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        Agent.load("material:english", hash=8192)
    """
    with run_with_the_module(code) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and "the system refuses 8192 MB of memory" in errors


class Preference:
    """Prefers one action of the start position, with constant values."""

    def __init__(self, action, actions):
        self.action, self.actions, self.sizes = action, actions, []

    def __call__(self, planes, globals):
        self.sizes.append(len(planes))
        logits = np.zeros((len(planes), self.actions), np.float32)
        logits[:, self.action] = 30
        return np.tile([0.0, 1.0, 0.0], (len(planes), 1)), logits


def test_an_evaluator_of_python_plays_in_our_search():
    game, actions = Game("english"), crownhead.shape("english")["actions"]
    liked = int(game.action_mask().nonzero()[0][3])
    evaluator = Preference(liked, actions)
    assert isinstance(evaluator, crownhead.Evaluator)
    agent = Agent.from_evaluator("english", evaluator)
    assert agent.choose(game, nodes=16) == game.move_of(liked)
    games = [Game("english"), Game("english"), Game("english")]
    games[1].play("9-13"), games[2].play("10-14")
    agent.choose_many(games, nodes=16)
    assert max(evaluator.sizes) > 1
    policy = agent.policy(game)
    assert next(iter(policy)) == game.move_of(liked)


class Mine(Exception):
    pass


def failing(planes, globals_):
    raise Mine("from inside")


def answering(values, logits=0.0):
    """An evaluator with the same result for every position."""
    return lambda planes, globals_: (np.tile(values, (len(planes), 1)), np.full((len(planes), 4096), logits))


@pytest.mark.parametrize(
    ("evaluator", "kind", "part"),
    [
        (failing, Mine, "from inside"),
        (lambda planes, globals_: None, TypeError, "returned NoneType, not a tuple of values and logits"),
        (answering([1.0, 0.0]), ValueError, r"values have shape \[1, 2\], not \[1, 3\]"),
        (lambda planes, globals_: (np.zeros(3), np.zeros(4096)), ValueError, r"values have shape \[3\], not \[1, 3\]"),
        (lambda planes, globals_: ([[0, 1, 0]], np.zeros((1, 7))), ValueError, r"logits have shape \[1, 7\], not \[1, 4096\]"),
        (lambda planes, globals_: ([[0, 1, 0]], "no array"), ValueError, "could not convert string"),
        (answering([np.nan, 0.0, 1.0]), ValueError, r"values of row 0 are \[NaN, 0.0, 1.0\]: they must be probabilities"),
        (answering([2.0, -1.0, 0.5]), ValueError, "must be probabilities of win, draw and loss"),
        (answering([0, 1, 0], np.nan), ValueError, r"logit of action \d+ in row 0 is NaN, and the action is legal there, in B:W"),
    ],
)
def test_what_an_evaluator_does_wrong_comes_out(evaluator, kind, part):
    agent, game = Agent.from_evaluator("english", evaluator), Game("english")
    for call in [agent.choose, agent.analyse]:
        with pytest.raises(kind, match=part):
            call(game, nodes=4)
    with pytest.raises(kind, match=part):
        agent.value(game)


def test_logits_of_illegal_moves_do_not_count():
    game = Game("english")
    mask = game.action_mask().astype(bool)
    agent = Agent.from_evaluator("english", lambda p, g: ([[0.25, 0.25, 0.5]], np.where(mask, 1.0, -np.inf)[None]))
    assert agent.value(game) == (0.25, 0.25, 0.5)
    assert list(agent.policy(game).values()) == [pytest.approx(1 / 7)] * 7


def test_an_agent_is_not_asked_by_what_it_asks():
    def asking(planes, globals_):
        return agent.value(Game("english"))

    agent, game = Agent.from_evaluator("english", asking), Game("english")
    for call in [agent.value, lambda game: agent.choose(game, nodes=4)]:
        with pytest.raises(RuntimeError, match="evaluator is thinking"):
            call(game)
    other = Agent.load("material:english", hash=1)
    with pytest.raises(RuntimeError, match="material:english is thinking"):
        other.analyse(game, report=lambda found: other.value(game))
    assert other.analyse(game, report=lambda found: False).lines


def run_with_the_module(code, **options):
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, **options,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize(
    "search",
    [
        "begun(0); crownhead.random_games('frisian', 10_000_000)",
        "begun(0); think_elsewhere(); agent.value(Game('frisian'))",
        "begun(0); think_elsewhere(); agent.choose(Game('frisian'))",
        "Agent.load('material:frisian').analyse(Game('frisian'), report=begun)",
        "Agent.from_evaluator('frisian', begun).choose(Game('frisian'), nodes=100_000)",
        "Agent.from_evaluator('frisian', begun).choose_many([Game('frisian')] * 2, nodes=100_000)",
    ],
)
def test_ctrl_c_ends_a_search(search):
    code = f"""
        import signal
        import threading
        import time
        import crownhead
        import numpy as np
        from crownhead import Agent, Game

        agent = Agent.load("material:frisian")

        def think_elsewhere():
            think = lambda: agent.analyse(Game("frisian"), seconds=3600)
            threading.Thread(target=think, daemon=True).start()
            time.sleep(0.5)

        def begun(found, globals_=None):
            print("begun", flush=True)
            return None if globals_ is None else (np.tile([0, 1, 0], (len(found), 1)), np.zeros((len(found), 10_000)))

        # Background jobs of a shell inherit an ignored signal.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        {search}
    """
    with run_with_the_module(code) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and process.returncode != 0


ENGINE = """
    import sys
    import numpy as np
    import crownhead

    def evaluator(planes, globals_):
        men, kings = planes[..., 0] - planes[..., 2], planes[..., 1] - planes[..., 3]
        ahead = 1 / (1 + np.exp(-(men + 2 * kings).sum(1)))
        return np.stack([ahead, 0 * ahead, 1 - ahead], 1), np.zeros((len(planes), 4096))

    def failing(planes, globals_):
        raise KeyError("out of luck")

    chosen = failing if "failing" in sys.argv else evaluator
    crownhead.Agent.from_evaluator("english", chosen, name="counting").serve_hub(nodes=16)
"""


def test_an_evaluator_of_python_is_a_hub_engine():
    start = "B" + "b" * 12 + "e" * 8 + "w" * 12
    lines = ["hub", "init", "set-param name=english-frame value=native", f"pos pos={start}", "level depth=9", "go think"]
    with run_with_the_module(ENGINE) as engine:
        for line in lines:
            print(line, file=engine.stdin, flush=True)
        heard = []
        while not (heard and heard[-1].startswith("done")):
            heard.append(engine.stdout.readline())
            assert heard[-1], engine.stderr.read()
        rest, errors = engine.communicate("quit\n", timeout=60)
    assert heard[0].startswith('id name="Crownhead counting"') and "wait\n" in heard and "ready\n" in heard
    move = heard[-1].split()[1].removeprefix("move=")
    assert move in [legal.text for legal in Game("english").legal_moves]
    assert engine.returncode == 0 and not errors and not rest


def test_ctrl_c_ends_an_engine():
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + textwrap.dedent(ENGINE)
    with run_with_the_module(code) as engine:
        print("hub", file=engine.stdin, flush=True)
        while engine.stdout.readline() != "wait\n":
            pass
        engine.send_signal(signal.SIGINT)
        engine.wait(timeout=60)
        assert "KeyboardInterrupt" in engine.stderr.read()


@pytest.fixture
def match(tmp_path):
    """A match of the module's command line between a Python engine and another player."""
    command = shutil.which("crownhead", path=pathlib.Path(sys.executable).parent)
    assert command, "the module has no command line: install the wheel of scripts/build_wheel.sh"
    script = tmp_path / "my engine,nodes=1.py"
    script.write_text(textwrap.dedent(ENGINE))

    def play(*arguments):
        engine = "hub:" + shlex.join([sys.executable, str(script), *arguments])
        words = [command, "match", engine, "random", "--variant", "english", "--pairs", "4", "--format", "json"]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    return play


def test_an_evaluator_of_python_plays_in_a_match(match):
    played = match()
    assert played["score"] > 0.7 and played["forfeits"]["a"] == 0


def test_a_match_says_what_an_evaluator_raised(match):
    played = match("failing")
    assert played["losses"] == 8 and played["forfeits"]["a"] == 8
    assert "KeyError: 'out of luck'" in json.dumps(played["forfeits"]["games"][0])


def test_many_games_at_once():
    env = VectorEnv("english", 16, seed=5)
    arrays, n_done, rewards = env.planes, 0, set()
    for _ in range(400):
        actions = env.random_actions()
        assert (env.mask[np.arange(16), actions] == 1).all()
        env.step(actions)
        n_done += int(env.dones.sum())
        rewards |= set(env.rewards[env.dones].tolist())
        assert not env.rewards[~env.dones].any()
    assert env.planes is arrays or (env.planes.ctypes.data == arrays.ctypes.data)
    assert n_done > 16 and rewards <= {-1.0, 0.0, 1.0}
    env.reset()
    assert env.game(3).moves == [] and (env.mask.sum(axis=1) == 7).all()


def test_a_game_may_be_used_while_an_agent_thinks():
    agent, game = Agent.load("material:english"), Game("english")
    assert agent.analyse(game, depth=3, report=lambda found: bool(game.play(game.legal_moves[0]))).lines
    assert game.moves

    def evaluator(planes, globals_):
        if not game.moves[1:]:
            game.play(game.legal_moves[0])
        return answering([0, 1, 0])(planes, globals_)

    game.take_back()
    while game.moves:
        game.take_back()
    game.play("11-15")
    with pytest.raises(RuntimeError, match="the game has changed while evaluator was thinking"):
        Agent.from_evaluator("english", evaluator).play(game, nodes=4)
    assert len(game.moves) == 2


def test_an_evaluator_that_knows_its_agent_is_freed():
    class Network:
        def __init__(self):
            self.agent = Agent.from_evaluator("english", self.evaluate)

        def evaluate(self, planes, globals_):
            return answering([0, 1, 0])(planes, globals_)

    network = Network()
    network.agent.choose(Game("english"), nodes=4)
    freed = weakref.ref(network)
    del network
    gc.collect()
    assert freed() is None


def test_other_threads_run_while_one_searches():
    agent, game, ticks = Agent.load("material:english"), Game("english"), []
    search = threading.Thread(target=lambda: agent.analyse(game, seconds=0.5))
    search.start()
    while search.is_alive():
        ticks.append(time.perf_counter())
        time.sleep(0.01)
    search.join()
    assert len(ticks) > 10


def test_the_program_of_the_documents(capsys):
    code = (pathlib.Path(__file__).parent / "program.py").read_text()
    exec(compile(code, "program.py", "exec"), {})
    shown = capsys.readouterr().out
    assert shown.startswith("9-13 9-14 10-14") and '[White "crownhead"]' in shown
