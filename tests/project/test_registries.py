"""`hsr run` accepts every registered name, and the page names none itself.

The library alone is tested in tests/agents/test_specs.py, the lab in tests/lab/test_declared.py.
"""

import re

import pytest

import hsr
from hsr.cli import main

OPTION_KINDS = [*hsr.OPTION_KINDS, "none", "online"]
BONUSES = [*hsr.BONUSES, "none"]
CHANGES = [
    *(("online_transfer", f"options.kind={kind}") for kind in OPTION_KINDS),
    *(("exploration", f"options.kind={kind}") for kind in OPTION_KINDS),
    # From the zero map of a control, the norm bonus would be infinite.
    *(("exploration", f"agent.bonus={kind}") for kind in BONUSES if kind != "norm"),
    *(("basis_transfer", f'also=[{{kind="rows", of="{kind}"}}]') for kind in hsr.REPRESENTATIONS),
    *(("basis_transfer", f'also=[{{kind="{kind}", of="rw_hsr"}}]') for kind in hsr.BASES),
]


@pytest.fixture
def planned(capsys):
    """Return a function from an experiment and a change to the number of runs of `hsr run`."""

    def count(experiment, change):
        assert main(["list", experiment, "--set", change]) == 0
        return int(re.search(r"([\d,]+) runs", capsys.readouterr().out)[1].replace(",", ""))

    return count


def test_a_registry_prints_its_names():
    assert repr(hsr.BASES) == f"Registry({', '.join(map(repr, hsr.BASES))})"
    assert "'nmf'" in repr(hsr.BASES)


@pytest.mark.parametrize(("experiment", "change"), CHANGES)
def test_every_registered_name_can_be_run(experiment, change, planned):
    assert planned(experiment, change) > 0


def test_features_that_are_added_are_run_and_drawn(planned):
    more = planned("basis_transfer", 'also=[{kind="nmf", of="rw_hsr"}]')
    assert more > planned("basis_transfer", "seeds=2")
