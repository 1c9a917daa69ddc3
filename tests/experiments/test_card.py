"""The report card: scores with known answers, planted things, the page, and what is refused."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

import hsr
from hsr import cli
from hsr.experiments.card import load_thing, suite
from hsr.experiments.card.report import _verdict
from tests.cases import cases, raises


@pytest.fixture(scope="module", autouse=True)
def few_rates():
    """Choose from fewer rates in fewer mazes, which takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "RATES", (0.01, 0.1, 1.0))
        patch.setattr(suite, "MAP_RATES", (0.1,))
        patch.setattr(suite, "MOST_TUNING_MAZES", 2)
        yield


def distances(mdp):
    """Return the steps between all states."""
    moves = sum(mdp.transition_of(action) for action in range(mdp.n_actions))
    return shortest_path(moves, unweighted=True)


def perfect(mdp):
    """Predict visits to a goal by how near it is."""
    return 0.5 ** distances(mdp)


def useless(mdp):
    """Predict visits at random."""
    return np.random.default_rng(0).uniform(size=(mdp.n_states, mdp.n_states))


def eigen(mdp):
    """Return the options of the baselines."""
    return hsr.eigenoptions(mdp, n_options=suite.N_OPTIONS)


def hierarchical(mdp):
    """Return the map of the baseline HSR."""
    return hsr.expected_hsr(mdp, eigen(mdp))


def verdicts(found, test):
    return {row["against"]: row["verdict"] for row in found.effects if row["test"] == test}


@pytest.mark.parametrize("number", range(3))
def test_a_maze_has_goals_that_no_option_ends_at_and_a_detour(number):
    maze = suite.maze_of(number)
    d = distances(maze.mdp)
    start, goals = maze.tasks[0].start, [task.goal for task in maze.tasks]
    assert maze.shortest.tolist() == [d[start, goal] for goal in goals]
    ends = suite.ends_of(maze.mdp, maze.options)
    assert 0 < ends.sum() < maze.mdp.n_states
    assert not ends[goals].any()
    if maze.changed is not None:
        assert maze.shortest_after == distances(maze.changed)[start, goals[0]] > maze.shortest[0]


@pytest.mark.parametrize("number", range(3))
def test_rewards_are_worth_reaching_and_no_option_ends_at_their_goals(number):
    maze = suite.maze_of(number)
    ends = suite.ends_of(maze.mdp, maze.options)
    assert [(task.reward < 0).any() for task in maze.rewards] == [False, False, True]
    for task in maze.rewards:
        assert task.start == maze.tasks[0].start
        assert task.terminal.size == 3
        assert not ends[task.terminal].any()
        assert hsr.optimal_value(maze.mdp, task)[task.start] > 0


class Planner:
    """Follow the optimal policies of the reward functions in turn, in the second run of a maze."""

    def __init__(self, maze):
        self.best, self.runs = [], 0
        for task in maze.rewards:
            self.best += [hsr.greedy_policy(maze.mdp, task, ties="first").argmax(axis=1)] * 10

    def begin(self, context, seed):
        self.runs, self.episode = self.runs + 1, 0

    def act(self, state, choices):
        return self.best[self.episode][state] if self.runs == 2 else choices[0]

    def learn(self, step):
        self.episode += step.ended


class Spiteful(Planner):
    """Do the same in the first of the three reward functions, and then stay near the start."""

    def act(self, state, choices):
        return super().act(state, choices) if self.episode < 10 else state % 2


@cases("agent, least, most", {"optimal": (Planner, 1.0, 1.0), "idle": (Spiteful, 0.0, 0.5)})
def test_the_score_of_new_rewards_is_the_share_of_the_optimal_return(agent, least, most):
    maze = suite.maze_of(1)
    contender = suite.Contender(lambda maze, rates: agent(maze))
    found = suite.scores_in(maze, contender, None, [0])["new rewards"]
    assert least - 1e-12 <= found <= most + 1e-12


def test_how_directly_a_map_leads_has_known_answers():
    mdp = suite.maze_of(0).mdp
    assert suite.reached(mdp, perfect(mdp)) == 1.0
    assert suite.reached(mdp, -perfect(mdp)) < 0.02
    M, model = hsr.successor_representation(mdp), hsr.option_model(mdp, None)
    of_choices = hsr.representation.successor_of_choices(model, M)
    expected = hsr.reach_goals(model, of_choices).reached
    assert suite.reached(mdp, M.toarray()) == pytest.approx(expected, abs=0.02)


@cases("thing", {"its map": hierarchical, "its options": eigen})
def test_the_hsr_itself_ties_with_the_hsr(thing):
    found = hsr.card(thing, mazes=3, seeds=1)
    own = [row for row in found.effects if "HSR" in row["against"].split(", ")]
    assert {row["test"] for row in own} == set(found.scores)
    assert {(row["difference"], row["verdict"]) for row in own} == {(0.0, "tie")}


@pytest.fixture(scope="module")
def good():
    return hsr.card(perfect, mazes=14, seeds=1)


def test_planted_things_are_recognised(good):
    bad = hsr.card(useless, mazes=14, seeds=1)
    assert (good.kind, bad.kind) == ("representation", "representation")
    assert verdicts(good, "goals reached")["one-hot"] == "better"
    assert verdicts(good, "precision")["SR"] == "better"
    for test in ("goals reached", "precision", "learning"):
        assert verdicts(bad, test)["RW-SR"] == "worse"
    assert np.array_equal(good.scores["goals reached"]["perfect"], np.ones(14))


def test_what_does_not_apply_is_left_out_and_said(good):
    assert list(good.left_out) == ["exploration"]
    found = hsr.card(hsr.LinearQ("hsr", learning_rate=0.1), name="mine", mazes=3, seeds=1)
    assert (found.kind, found.name) == ("agent", "mine")
    assert {"goals reached", "precision"} <= set(found.left_out)
    assert found.rates["mine"] is None
    assert any("an agent of your own is run as it is" in one for one in found.untold)


class Lost:
    """An agent that never learns."""

    def begin(self, context, seed):
        self.rng = np.random.default_rng(seed)

    def act(self, state, choices):
        return self.rng.choice(choices)

    def learn(self, step):
        """Forget it."""


def test_features_without_a_column_for_each_state_are_scored_but_not_as_a_map():
    found = hsr.card(lambda mdp: np.eye(mdp.n_states)[:, ::2], name="half", mazes=2, seeds=1)
    assert "transfer" in found.scores
    reason = "half is not a map, which has a column for each state"
    assert [found.left_out[test] for test in suite.OF_MAPS] == [reason, reason]


def test_an_agent_that_never_learns_is_worse_and_one_is_made_for_every_maze():
    found = hsr.card(Lost, mazes=12, seeds=1)
    assert (found.name, found.kind) == ("Lost", "agent")
    assert {verdicts(found, "learning")[name] for name in ("one-hot", "HSR")} == {"worse"}


def test_rates_are_chosen_in_other_mazes(few_rates):
    contender = suite.baselines(learn_maps=False)["RW-SR"]
    mazes = [suite.maze_of(suite.FIRST_TUNING_MAZE + k) for k in range(2)]
    mean = {}
    for rates in contender.rates:
        scores = [suite.scores_in(maze, contender, rates, [0]) for maze in mazes]
        mean[rates] = np.mean([one["learning"] + one["transfer"] for one in scores])
    assert mean[suite.tuned(contender, [0], 2)] == max(mean.values())
    assert len(set(mean.values())) == 3


def test_the_page_has_every_part_and_needs_nothing_else(good, tmp_path):
    scores = {
        test: {name.replace("perfect", "<b>mine</b>"): x for name, x in of_test.items()}
        for test, of_test in good.scores.items()
    }
    path = replace(good, name="<b>mine</b>", scores=scores).save(tmp_path)
    page = path.read_text(encoding="utf-8")
    parts = re.findall(r'<section id="([\w-]+)">', page)
    assert parts == ["profile", "scores", "effects", "untold", "left-out", "method", "cite"]
    assert "&lt;b&gt;mine&lt;/b&gt;" in page
    assert "<b>mine" not in page
    assert len(re.findall(r'<img [^>]*src="data:image/png;base64,', page)) == 1
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert f"report card, version {suite.VERSION}, of hsr {hsr.__version__}" in page
    assert all(f'">{row["verdict"]}</td>' in page for row in good.effects)


@cases(
    ("interval", "p", "expected"),
    {
        "small and certain": ((0.01, 0.02), 0.001, "tie"),
        "small and open": ((-0.02, 0.04), 1.0, "tie"),
        "large": ((0.1, 0.2), 0.001, "better"),
        "negative": ((-0.2, -0.04), 0.01, "worse"),
        "wide": ((-0.2, 0.01), 0.06, "cannot tell"),
    },
)
def test_verdicts_are_those_of_their_rule(interval, p, expected):
    assert (
        _verdict({"interval": interval, "p_corrected": p, "difference": sum(interval)}) == expected
    )


@cases(
    ("thing", "message"),
    {
        "number": (3, "3 is no function of an MDP"),
        "shape": (lambda mdp: np.zeros((3, 4)), r"has shape \(3, 4\) in maze"),
        "name": (lambda mdp: "map", "is no function of an MDP that returns a matrix"),
    },
)
def test_what_is_no_thing_is_refused_in_one_sentence(thing, message):
    with raises(message):
        hsr.card(thing, mazes=2)


@cases(
    ("text", "message"),
    {
        "no name": ("mine.py", "write it as FILE.py:NAME"),
        "no file": ("absent.py:thing", "there is no file 'absent.py'"),
        "misspelt": ("mine.py:thin", "mine.py defines no 'thin'; did you mean thing?"),
        "broken": ("broken.py:thing", r"broken.py cannot be run: ZeroDivisionError: .* \(line 2\)"),
    },
)
def test_a_missing_name_is_told_in_one_sentence(text, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def thing(mdp): ...\n", encoding="utf-8")
    (tmp_path / "broken.py").write_text("\nthing = 1 / 0\n", encoding="utf-8")
    with raises(message):
        load_thing(text)
    assert cli.main(["card", text]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_command_writes_the_page(tmp_path, capsys):
    file = tmp_path / "mine.py"
    file.write_text("import hsr\n\ndef walk(mdp):\n    return hsr.successor_representation(mdp)\n")
    assert cli.main(["card", f"{file}:walk", "--mazes", "2", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("Card of walk (representation)\n")
    assert said.endswith(f"wrote: {tmp_path / 'card_walk.html'}\n")
    assert (tmp_path / "card_walk.html").stat().st_size > 20_000
