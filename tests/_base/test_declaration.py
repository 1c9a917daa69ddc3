"""Specifications: fields are checked, and everything else is derived from their declarations."""

import json
import re
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest
from hypothesis import strategies as st

import hsr
from hsr._base.declaration import (
    Spec,
    changed,
    defaults,
    fields_of,
    flag,
    integer,
    nested,
    number,
    paths_of,
    several,
    text,
    word,
)
from tests.cases import cases, raises
from tests.strategies import (
    assert_refused,
    bad_choices,
    bad_counts,
    bad_flags,
    bad_probabilities,
)

HATS = {"bowler": "round", "fez": "red"}


@dataclass(frozen=True)
class Clown(Spec):
    hat: str = word(HATS, "what is on the head")
    shoe: float = number(50.0, "length of a shoe", gt=0, le=100)
    balls: int = integer(3, "number of balls", le=9)
    noses: int | None = integer(None, "number of noses", ge=0)


@dataclass(frozen=True)
class Circus(Spec):
    clown: Clown = nested(Clown("fez"))
    prices: tuple[float, ...] = several(number(1.0, "what a seat costs", ge=0), (2.0, 5.0), least=1)
    others: tuple[Clown, ...] = several(nested(Clown(), "clowns of other nights"), ())
    open: bool = flag(True, "whether there is a show")
    town: str = text("here", "where it is")
    again: Clown = nested(Clown(), without=("hat",))


def test_a_specification_has_its_defaults_and_is_frozen():
    assert defaults(Clown) == {"hat": "bowler", "shoe": 50.0, "balls": 3, "noses": None}
    assert Clown() == Clown(**defaults(Clown))
    with pytest.raises(FrozenInstanceError):
        Clown().hat = "fez"


WRONG = {
    "clown.hat": bad_choices(HATS),
    "clown.shoe": bad_probabilities(0, 100, with_low=False),
    "clown.balls": bad_counts(1, 9) | st.none(),
    "clown.noses": bad_counts(0).filter(lambda value: value != "none"),
    "prices": st.sampled_from([3, (), [], "ab"]),
    "open": bad_flags(),
    "town": st.integers() | st.none(),
}


@pytest.mark.parametrize("path", WRONG)
def test_a_value_that_is_not_allowed_is_refused_with_its_path(path):
    group, _, name = path.rpartition(".")

    def read(**given):
        Circus.from_data({group: {name: given[path]}} if group else given)

    for call in (lambda **given: changed(Circus(), given), read):
        assert_refused(call, path, WRONG[path], f"^{re.escape(path)} ")


def test_an_entry_of_a_list_is_named_by_its_index():
    with raises(r"prices\[1\] is -1; it must not be negative"):
        Circus(prices=(1, -1))
    with raises(r"others\[0\].hat is 'cap'; it must be one of"):
        Circus(others=[{"hat": "cap"}])
    for unknown in ({"clowns": 1}, {"clown": {"hats": "fez"}}, {"again": {"hat": "fez"}}):
        with raises("there is no setting"):
            Circus.from_data(unknown)


@cases(
    "circus",
    {
        "usual": Circus(),
        "another": Circus(
            Clown(balls=1, noses=2), prices=[0, 1], others=[Clown("fez")], open=False, town="there"
        ),
    },
)
def test_data_is_json_and_describes_the_specification(circus):
    data = circus.data()
    assert json.loads(json.dumps(data)) == data
    assert Circus.from_data(data) == circus
    assert hash(Circus.from_data(data)) == hash(circus)
    assert changed(circus, {"town": "elsewhere"}) != circus


def test_values_become_plain_python():
    circus = Circus(prices=np.array([1, 2]), clown=Clown(balls=np.int64(4), shoe=np.float32(2)))
    assert circus.data()["prices"] == [1.0, 2.0]
    assert [type(x) for x in (circus.clown.balls, circus.clown.shoe)] == [int, float]
    assert Circus.from_data({"clown": {"shoe": 7}}).clown == Clown("fez", shoe=7.0)


def test_fields_are_changed_by_their_dotted_paths_and_none_is_written_as_a_word():
    circus = changed(Circus(), {"clown.noses": 4, "clown.hat": "bowler", "open": False})
    assert circus == Circus(Clown(noses=4), open=False)
    assert changed(circus, {"clown.noses": "none"}).clown.noses is None
    with raises("there is no setting 'clown.nose'; did you mean clown.noses"):
        changed(circus, {"clown.nose": 4})


def test_fields_say_what_they_hold_take_and_decide():
    facts = fields_of(Circus())
    assert list(facts) == paths_of(Circus())
    assert "again.hat" not in facts
    assert facts["clown.hat"] == ("fez", "bowler, fez", "what is on the head")
    assert facts["clown.shoe"].takes == "number, more than 0, at most 100"
    assert facts["clown.noses"].takes == "integer, at least 0, or none"
    assert facts["prices"] == ((2.0, 5.0), "list of numbers", "what a seat costs")
    assert facts["open"].takes == "true or false"


def test_agents_with_equal_settings_are_equal_and_arrays_are_compared_by_identity():
    assert hsr.LinearQ("sr", epsilon=0.2) == hsr.LinearQ("sr", epsilon=0.2)
    assert hsr.LinearQ("sr") != hsr.LinearQ("hsr")
    features = np.eye(3)
    assert hsr.LinearQ(features) == hsr.LinearQ(features)
    assert hsr.LinearQ(features) != hsr.LinearQ(features.copy())


def test_registries_list_what_is_built_in_with_one_line_each():
    for registry in (hsr.OPTION_KINDS, hsr.REPRESENTATIONS, hsr.BASES, hsr.BONUSES):
        summaries = registry.summaries()
        assert tuple(registry) == tuple(summaries)
        assert set(registry.built_in) <= set(summaries)
        assert all(len(summary) > 8 and "\n" not in summary for summary in summaries.values())
        assert "no such thing" not in registry
