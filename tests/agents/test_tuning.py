"""Settings chosen by `tune`: against trainings by hand, and what it says about ends of lists."""

import warnings
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hsr
from hsr.agents import best_setting
from tests.cases import raises

RATES = [0.02, 0.06, 0.2]
HOW = {"seeds": range(3), "episodes": 20, "horizon": 300}


@cache
def place():
    """Return a maze of two small rooms, two goal tasks and two options."""
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...#...\n.......\n...#..."), discount=0.9)
    tasks = [hsr.GoalTask(0, 6), hsr.GoalTask(0, 18)]
    return mdp, tasks, hsr.point_options(mdp, [9])


@cache
def slippery():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text(".....\n.#.#.\n....."), discount=0.8, slip=0.2)
    return mdp, [hsr.GoalTask(0, 12)], None


def tune(*args, **how):
    """Tune without warnings about ends of lists."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*at an end of its list", hsr.HSRWarning)
        return hsr.tune(*args, **{**HOW, **how})


def test_the_rate_with_the_fewest_steps_is_chosen():
    mdp, tasks, options = place()
    agents = {"one-hot": hsr.LinearQ(epsilon=0.2), "HSR": hsr.LinearQ("hsr", epsilon=0.3)}
    tuned = tune(mdp, tasks, agents, options, rates=RATES)
    for name, features in (("one-hot", {"epsilon": 0.2}), ("HSR", {"epsilon": 0.3})):
        kind = "onehot" if name == "one-hot" else "hsr"
        steps = []
        for rate in RATES:
            agent = hsr.LinearQ(kind, learning_rate=rate, **features)
            steps.append(hsr.train(mdp, tasks, agent, options, **HOW).steps.mean(axis=(1, 2)))
        table = tuned.table[name]
        assert_array_equal(table["learning_rate"], RATES)
        assert_array_equal(table["mean"], np.mean(steps, axis=1))
        np.testing.assert_allclose(
            table["standard_error"], np.std(steps, axis=1, ddof=1) / np.sqrt(3), rtol=1e-12
        )
        best = RATES[int(np.argmin(np.mean(steps, axis=1)))]
        assert tuned.values[name] == {"learning_rate": best}
        assert tuned.agents[name] == hsr.LinearQ(kind, learning_rate=best, **features)
    assert len(set(tuned.table["HSR"]["mean"])) == 3
    assert (tuned.measure, tuned.unit) == ("steps", "seed")
    assert "one-hot: learning_rate=" in repr(tuned)
    again = tune(mdp, tasks, agents, options, rates=RATES, workers=1)
    for name, table in tuned.table.items():
        assert all(table[key].tobytes() == again.table[name][key].tobytes() for key in table)


def test_tasks_with_rewards_are_tuned_by_what_is_lost():
    mdp = place()[0]
    tasks = hsr.reward_tasks(mdp, 2, kind="mixed", seed=0, start=0)
    tuned = tune(mdp, tasks, hsr.LinearQ(), rates=RATES)
    assert tuned.measure == "regret"
    best = np.array([[hsr.optimal_value(mdp, task)[0]] for task in tasks])
    lost = []
    for rate in RATES:
        run = hsr.train(mdp, tasks, hsr.LinearQ(learning_rate=rate), **HOW)
        lost.append((best - run.returns).mean())
    np.testing.assert_allclose(tuned.table[""]["mean"], lost, rtol=1e-12)
    assert min(lost) > 0.0
    assert tuned.agents == hsr.LinearQ(learning_rate=RATES[int(np.argmin(lost))])
    goals = tune(*place()[:2], hsr.LinearQ(), rates=RATES, measure="regret")
    assert goals.table[""]["mean"].min() > 0.0


def test_each_mdp_counts_once():
    places = [place()[:2], slippery()]
    tuned = tune(places, None, hsr.LinearQ(), rates=RATES)
    means = [
        [
            hsr.train(*one[:2], hsr.LinearQ(learning_rate=rate), **HOW).steps.mean(axis=(1, 2))
            for one in places
        ]
        for rate in RATES
    ]
    means = np.mean(means, axis=2)
    assert_array_equal(tuned.table[""]["mean"], means.mean(axis=1))
    expected = means.std(axis=1, ddof=1) / np.sqrt(2)
    np.testing.assert_allclose(tuned.table[""]["standard_error"], expected, rtol=1e-12)
    assert tuned.unit == "MDP"


def test_several_settings_are_combined_where_they_matter():
    mdp, tasks, _ = place()
    lists = {"learning_rate": [0.1, 0.5], "map_learning_rate": [0.01, 0.2]}
    agents = {"one-hot": hsr.LinearQ(), "SR": hsr.LinearQ("sr")}
    tuned = tune(mdp, tasks, agents, rates=lists)
    assert_array_equal(tuned.table["SR"]["map_learning_rate"], [0.01, 0.2, 0.01, 0.2])
    assert list(tuned.values["one-hot"]) == ["learning_rate"]
    assert len(tuned.table["one-hot"]["mean"]) == 2
    chosen = tuned.agents["SR"]
    assert tuned.values["SR"] == {
        "learning_rate": chosen.learning_rate,
        "map_learning_rate": chosen.map_learning_rate,
    }
    words = tune(mdp, tasks, hsr.LinearQ(), rates={"update": ["chosen", "primitives"]})
    assert words.at_end == {"": ()}


class Mine:
    """A tabular agent whose step size is a setting."""

    def __init__(self, learning_rate):
        self.rate = learning_rate

    def begin(self, context, seed):
        self.q = np.zeros((context.n_states, context.n_choices))
        self.rng = np.random.default_rng(seed)
        self.discount = context.discount

    def act(self, state, choices):
        if self.rng.random() < 0.1:
            return self.rng.choice(choices)
        best = self.q[state, choices]
        return self.rng.choice(choices[best == best.max()])

    def learn(self, step):
        ahead = 0.0 if step.ended else self.q[step.next_state].max()
        target = step.reward + self.discount**step.duration * ahead
        self.q[step.state, step.choice] += self.rate * (target - self.q[step.state, step.choice])


def test_own_agents_gpi_and_functions_of_the_mdp_are_tuned_too():
    mdp, tasks, _ = place()
    seen = []

    def centred(mdp, learning_rate):
        seen.append(mdp.n_states)
        return hsr.LinearQ(np.eye(mdp.n_states) - 0.01, learning_rate=learning_rate)

    gpi = hsr.GPI("sr", pretraining=[hsr.GoalTask(None, 3)], epsilon=0.3)
    agents = {"mine": Mine, "gpi": gpi, "centred": centred}
    tuned = tune(mdp, tasks, agents, rates=[0.1, 0.8], episodes=4)
    assert isinstance(tuned.agents["mine"], Mine)
    assert tuned.agents["mine"].rate == tuned.values["mine"]["learning_rate"]
    assert tuned.agents["gpi"].learner.learning_rate == tuned.values["gpi"]["learning_rate"]
    assert (tuned.agents["gpi"].learner.epsilon, gpi.learner.learning_rate) == (0.3, 0.01)
    assert tuned.agents["gpi"].pretraining == gpi.pretraining
    made = tuned.agents["centred"](mdp=mdp)
    assert made.learning_rate == tuned.values["centred"]["learning_rate"]
    seen.clear()
    tune([place()[:2], slippery()], None, centred, rates=[0.1, 0.8], episodes=2)
    assert seen == [19, 19, 13, 13]


def test_a_best_value_at_an_end_of_its_list_is_said():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("." * 15), discount=0.9)
    tasks, long = [hsr.GoalTask(0, 14)], {**HOW, "horizon": 5000}
    with pytest.warns(hsr.HSRWarning, match="the best learning_rate is 0.5, at an end of its list"):
        tuned = hsr.tune(mdp, tasks, hsr.LinearQ(), rates=[0.001, 0.01, 0.5], **long)
    assert tuned.at_end == {"": ("learning_rate",)}
    assert "learning_rate at an end" in repr(tuned)
    # Nothing is allowed beyond 1.
    tuned = hsr.tune(mdp, tasks, hsr.LinearQ(), rates=[0.001, 0.01, 1.0], **long)
    assert (tuned.values[""], tuned.at_end) == ({"learning_rate": 1.0}, {"": ()})


def test_what_diverges_is_not_chosen():
    mdp, tasks, _ = place()
    long = hsr.LinearQ(np.full((19, 2), 30.0))
    rewards = hsr.reward_tasks(mdp, 2, kind="mixed", seed=0, start=0)
    for learned in (tasks, rewards):
        tuned = tune(mdp, learned, long, rates=[1e-5, 0.5])
        assert tuned.values[""] == {"learning_rate": 1e-5}
    assert tuned.table[""]["mean"][1] == np.inf


def test_a_measure_of_your_own():
    mdp, tasks, _ = place()
    agent = hsr.LinearQ("sr")
    most = tune(mdp, tasks, agent, rates=RATES, measure=lambda run: -run.steps.mean())
    steps = tune(mdp, tasks, agent, rates=RATES)
    np.testing.assert_allclose(most.table[""]["mean"], -steps.table[""]["mean"], rtol=1e-12)
    assert most.values != steps.values


def test_ends_of_lists_by_hand():
    grid = [{"a": a, "b": b} for a in (1, 2, 3) for b in (10, 20)]
    loss = [9, 9, 5, 4, 8, 3.9]
    assert best_setting(grid, loss) == (5, ("a", "b"))
    # Inside the list of a, 4 is as good as 3.9; b has only ends.
    assert best_setting(grid, loss, margin=0.2) == (5, ("b",))
    assert best_setting(grid, loss, limits={"b": {20}}) == (5, ("a",))
    assert best_setting([{"a": 1}], [np.nan]) == (0, ())
    assert best_setting([{"a": 1}, {"a": 2}, {"a": 3}], [np.nan, 1.0, 2.0]) == (1, ())
    assert best_setting([{"a": "x"}, {"a": "y"}], [2.0, 1.0]) == (1, ())


@pytest.mark.parametrize(
    ("args", "how", "message"),
    [
        ((place, hsr.LinearQ()), {"rates": []}, "learning_rate needs a list of at least one"),
        ((place, hsr.LinearQ()), {"rates": iter([2.0])}, "learning_rate is 2.0; it must lie in"),
        ((place, hsr.LinearQ()), {"rates": 0.1}, "rates is 0.1; learning_rate needs a list"),
        ((place, hsr.LinearQ()), {"rates": {}}, "rates is an empty mapping"),
        ((place, hsr.LinearQ()), {"rates": {"rate": [1]}}, "'rate', which is no setting of Lin"),
        ((place, hsr.LinearQ()), {"rates": [2.0]}, "learning_rate is 2.0; it must lie in"),
        ((place, {}), {}, "agents is an empty mapping"),
        ((place, {"x": Mine(0.1)}), {}, "agents.'x'. is .*it must be a LinearQ, a GPI, or a func"),
        ((place, {"x": dict}), {}, "agents.'x'. returned .*it must return a LinearQ"),
        ((place, hsr.LinearQ()), {"measure": "speed"}, "measure is 'speed'; it must be one of"),
        ((place, hsr.LinearQ()), {"seeds": 3}, "seeds is 3; it must be a list of integers"),
    ],
)
def test_mistakes_are_named_before_anything_is_trained(args, how, message, monkeypatch):
    monkeypatch.setattr("hsr.agents.training.api._run_plans", None)
    mdp, tasks, _ = args[0]()
    with raises(message):
        tune(mdp, tasks, args[1], **{"rates": RATES, **how})


def test_lists_of_mdps_are_checked_too():
    mdp, tasks, options = place()
    with raises("mdp is a list, so that tasks and options must be None"):
        tune([(mdp, tasks)], tasks, hsr.LinearQ(), rates=RATES)
    with raises(r"mdp\[1\] is .*; it must be \(mdp, tasks\)"):
        tune([(mdp, tasks), mdp], None, hsr.LinearQ(), rates=RATES)
    with raises("the options are for 19 states; this MDP has 13"):
        tune([(mdp, tasks), (*slippery()[:2], options)], None, hsr.LinearQ(), rates=RATES)


def test_only_agents_and_rates_must_be_given():
    mdp = hsr.grid_mdp(hsr.GridLayout.from_text("...."), discount=0.9)
    tasks, agent = [hsr.GoalTask(0, 3)], hsr.LinearQ()
    alone = hsr.tune(mdp, tasks, agent, rates=[0.1, 0.5, 1.0])
    given = hsr.tune(
        mdp, tasks, agent, rates=[0.1, 0.5, 1.0], seeds=range(5), episodes=50, horizon=5000
    )
    assert repr(alone) == repr(given)


def test_a_measure_that_returns_no_number_is_never_chosen_or_refused():
    mdp, tasks, _ = place()

    def missing_at_small_rates(run):
        return np.where(run.steps.mean() > limit, np.nan, 1.0)

    steps = tune(mdp, tasks, hsr.LinearQ(), rates=RATES).table[""]["mean"]
    limit = (np.sort(steps)[0] + np.sort(steps)[1]) / 2
    tuned = tune(mdp, tasks, hsr.LinearQ(), rates=RATES, measure=missing_at_small_rates)
    assert tuned.values[""]["learning_rate"] == RATES[int(np.argmin(steps))]
    for wrong in ("few", [1.0, 2.0], None):
        with raises("measure returned .*; it must return a number, or one for each of the 3 seeds"):
            tune(mdp, tasks, hsr.LinearQ(), rates=RATES, measure=lambda run, said=wrong: said)
    with raises("agents is 'x'; it must be a LinearQ"):
        tune(mdp, tasks, "x", rates=RATES)
