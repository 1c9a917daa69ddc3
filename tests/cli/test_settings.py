"""Changed settings on the command line: what they change, and what is refused."""

import re

from hsr.cli.arguments import OfSettings, changes_of
from hsr.experiments import catalogue
from hsr.experiments.runner import jobs_of
from tests.cases import cases

NAME = "offline_rows"  # its runs are curves alone


def jobs(name, **changes):
    experiment = catalogue.find(name)
    return jobs_of(experiment, experiment.setting("smoke", changes))


def n_runs(jobs):
    return sum(len(job.seeds) for job in jobs)


def test_every_set_counts_and_takes_precedence_over_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("episodes = 3\nhorizon = 4\nseeds = 5\n", encoding="utf-8")
    given = OfSettings(set=(("episodes=7", "places=marked"), ("a.b=0.2",)), seeds=8, config=path)
    expected = {"episodes": 7, "horizon": 4, "seeds": 8, "places": "marked", "a.b": 0.2}
    assert changes_of(given) == expected


@cases(
    ("name", "change", "same_as"),
    {
        "a maze": ("mazes", "world.layout=corridor", {"layouts": ["corridor"]}),
        "a class of options": ("option_classes", "options.kind=random", {"classes": ["random"]}),
    },
)
def test_a_field_that_the_experiment_sets_itself_is_restricted(hsr, name, change, same_as):
    expected = jobs(name, **same_as)
    assert n_runs(expected) < n_runs(jobs(name))
    code, said = hsr("list", name, "--set", change)
    counts = re.match(r"# ([\d,]+) runs and ([\d,]+) of controls; time", said.out).groups()
    assert (code, sum(int(n.replace(",", "")) for n in counts)) == (0, n_runs(expected))


@cases(
    ("arguments", "message"),
    {
        "one size": (
            ("exploration_online", "--set", "maze.size=11"),
            "exploration_online sets maze.size itself, to each of sizes; change sizes instead",
        ),
        "both": (
            ("mazes", "--set", "world.layout=loop", 'layouts=["loop"]'),
            "world.layout and layouts are both changed; mazes sets world.layout itself",
        ),
        "probability": (
            (NAME, "--set", "agent.epsilon=2"),
            "agent.epsilon is 2; it must lie in",
        ),
        "seeds": ((NAME, "--seeds", "-1"), "seeds is -1; it must be an integer of at least 1"),
        "episodes": (
            (NAME, "--set", "episodes=0"),
            "episodes is 0; it must be an integer of",
        ),
        "rates": ((NAME, "--set", "rates=[2.0]"), "rates[0] is 2.0; it must lie in (0, 1]"),
        "goal": (("gpi", "--set", "goal=3"), "goal 3 is to be learned; worlds have the goals 1 to"),
        "class": (("option_classes", "--set", 'classes=["eigne"]'), "classes[0] is 'eigne'"),
        "suggestion": ((NAME, "--set", "epsilon=0.1"), "did you mean agent.epsilon?"),
        "misspelt": ((NAME, "--set", "epsilom=0.1"), "did you mean agent.epsilon?"),
        "group": ((NAME, "--set", "agent=0.1"), "did you mean agent.learning_rate"),
    },
)
def test_a_setting_is_refused_once(hsr, tmp_path, arguments, message):
    code, said = hsr("run", *arguments, "--store", tmp_path / "store")
    assert (code, said.out) == (2, "")
    assert said.err.startswith("hsr: error: ")
    assert message in said.err
    assert said.err.count("\n") == 1
    assert not (tmp_path / "store").exists()
