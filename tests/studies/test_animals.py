"""The study of which map animals use: what its claims say of planted bits, and its tables."""

import numpy as np
import pytest
from studies.animals import CHOICES, EXPERIMENT, SIMULATED, TRIALS, models_of
from studies.animals_agents import ENTRANTS

from tests.studies.planting import planted, words

SUBJECTS = {"rats": 9, "people": 18, "mice": 10, "mice, hidden": 19}


def made_up(rng, part, bits_of):
    """Return arrays of a part, with given mean bits of each model."""
    if part == "agents":
        shape = (1, 2, len(ENTRANTS), 25, TRIALS)
        arrays = {"limits": np.array([[80.0, 150.0]]), "settings": np.ones((1, len(ENTRANTS), 3))}
        for name, extent in (
            ("agents", shape),
            ("rat", (1, 2, 9, 25, 10)),
            ("human", (1, 2, 18, 25, 10)),
        ):
            arrays |= {f"{name}_found": rng.random(extent), f"{name}_lost": rng.random(extent)}
        return arrays
    if part == "brain":
        return {
            "scores": rng.normal(size=(1, 4, 23)), "others": rng.normal(size=(1, 23)),
            "chosen": np.zeros((1, 4, 23, 5)), "at_end": np.zeros((1, 4, 4)),
            **{name: rng.random((1, 3, 4, 4)) for name in ("best", "told", "misled")},
        }  # fmt: skip
    if part == "cells":
        return {
            "bits": rng.random((1, 4)),
            "best": np.array([[0.0, 1.0]]),
            "p": np.array([[0.01, 0.5]]),
        }
    models, n = models_of(part, quick=False), SUBJECTS[part]
    mean = np.array([bits_of(name) for name in models])
    bits = mean[:, None] + rng.normal(0.0, 0.1, n) + rng.normal(0.0, 0.005, (len(models), n))
    simulated = [name for name in SIMULATED if name in models]
    square = (1, len(simulated), len(simulated))
    return {
        "bits": bits[None], "choices": np.full((1, n), 1000.0),
"by_trial": np.repeat(bits[None, ..., None], TRIALS, axis=3),
        "ends": np.zeros((1, len(models))),
        "discount": np.full((1, len(models)), np.nan), "share": np.full((1, len(models)), 0.5),
        **({} if part == "mice, hidden" else {
            "confusion": np.broadcast_to(np.eye(len(simulated)), square), "told": np.ones(square),
            "errors": np.full(square, 0.002),
        }),
    }  # fmt: skip


@pytest.fixture(scope="module")
def numbers():
    """Return made-up runs in which SRs beat distances and HSRs, and maps add to both."""
    rng = np.random.default_rng(0)

    def bits_of(name):
        parts = name.split("+")
        value = {"forward": 0.1, "markov2": 0.5, "geodesic": 0.3, "sr": 0.4, "sr_behaviour": 0.4}
        return max(value.get(one, 0.35) for one in parts) + 0.05 * (len(parts) - 1)

    return planted(EXPERIMENT, lambda name, condition, world: made_up(rng, name, bits_of))


def test_planted_differences_are_found(numbers):
    found = words(EXPERIMENT, numbers)
    assert found["animals-map"] == "holds"
    assert found["animals-hsr"] == "the other way"
    assert found["animals-adds"] == "holds"
    assert found["animals-lag"] == "no difference"
    table = EXPERIMENT.tables(numbers)
    row = next(line for line in table.splitlines() if line.startswith("| sr minus geodesic"))
    assert all(cell.strip().startswith(("+0.09", "+0.10")) for cell in row.split("|")[2:6])


def test_tables_have_a_row_for_every_model_and_recovery_comes_first(numbers):
    text = EXPERIMENT.tables(numbers)
    rows = text.splitlines()
    for part in CHOICES:
        for name in models_of(part, quick=False):
            assert any(row.startswith(f"| {name} |") for row in rows), (part, name)
    assert text.index("What could be told apart") < text.index("### Rats")
    assert "18 subjects, 18,000 choices" in text
    assert EXPERIMENT.drawn(numbers, {}) is not None


def test_a_model_without_recovery_is_said_to_be_lost(numbers):
    table = numbers["rats"]
    told = table.array("told").copy()
    told[..., SIMULATED.index("sr"), SIMULATED.index("hsr")] = 0.0

    class Changed:
        def array(self, name):
            return told if name == "told" else table.array(name)

    text = EXPERIMENT.tables({**numbers, "rats": Changed()})
    row = next(line for line in text.splitlines() if line.startswith("| sr | 100%"))
    assert "not told from hsr |" in row
