"""Specifications check what they are given, and pydantic reads the same declarations."""

from dataclasses import FrozenInstanceError, dataclass

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

import hsr
from hsr._base.declaration import (
    Spec,
    declarations,
    defaults,
    integer,
    number,
    redeclared,
    word,
)

HATS = {"bowler": "round", "fez": "red"}


@dataclass(frozen=True)
class Clown(Spec):
    hat: str = word(HATS, "what is on the head")
    shoe: float = number(50.0, "length of a shoe", gt=0, le=100)
    balls: int = integer(3, "number of balls")
    noses: int | None = integer(None, "number of noses", ge=0)


class Circus(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    clown: Clown = Clown()


def test_a_specification_has_its_defaults_and_is_frozen():
    clown = Clown()
    assert defaults(Clown) == {"hat": "bowler", "shoe": 50.0, "balls": 3, "noses": None}
    assert (clown.hat, clown.shoe, clown.balls, clown.noses) == ("bowler", 50.0, 3, None)
    with pytest.raises(FrozenInstanceError):
        clown.hat = "fez"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hat": "cap"}, "hat is 'cap'; it must be one of 'bowler', 'fez'"),
        ({"hat": 3}, "hat is 3; it must be one of"),
        ({"shoe": 0}, "shoe is 0; it must lie in (0, 100]"),
        ({"shoe": float("nan")}, "shoe is nan; it must be finite"),
        ({"shoe": "long"}, "shoe is 'long'; it must be a number"),
        ({"balls": 0}, "balls is 0"),
        ({"balls": None}, "balls is None"),
        ({"noses": -1}, "noses is -1"),
    ],
)
def test_a_field_that_does_not_fit_is_named_with_its_limits(change, said):
    with pytest.raises(hsr.InputError) as caught:
        Clown(**change)
    assert said in str(caught.value)


def test_pydantic_reads_writes_and_describes_a_specification():
    circus = Circus.model_validate_json('{"clown": {"hat": "fez", "noses": 2}}')
    assert circus.clown == Clown("fez", noses=2)
    assert circus.model_dump(mode="json") == {
        "clown": {"hat": "fez", "shoe": 50.0, "balls": 3, "noses": 2}
    }
    assert Circus.model_validate(circus.model_dump()) == circus
    fields = Circus.model_json_schema()["properties"]["clown"]["properties"]
    assert fields["hat"]["enum"] == list(HATS)
    assert fields["hat"]["description"] == "what is on the head"
    assert fields["shoe"]["exclusiveMinimum"] == 0


@pytest.mark.parametrize(
    "clown",
    [
        {"hat": "cap"},
        {"shoe": 0},
        {"shoe": float("inf")},
        {"balls": 0},
        {"balls": None},
        {"tie": 1},
    ],
)
def test_pydantic_refuses_what_the_specification_refuses_and_says_where(clown):
    with pytest.raises(ValidationError) as caught:
        Circus.model_validate({"clown": clown})
    assert caught.value.errors()[0]["loc"] == ("clown", *clown)


def test_a_field_can_be_declared_again_under_another_name():
    @dataclass(frozen=True)
    class Ringmaster(Spec):
        top: str = redeclared(Clown, "hat", default="fez")

    assert declarations(Ringmaster)["top"] is declarations(Clown)["hat"]
    assert Ringmaster().top == "fez"


def test_registries_list_what_is_built_in_with_one_line_each():
    for registry in (hsr.OPTION_KINDS, hsr.REPRESENTATIONS, hsr.BASES, hsr.BONUSES):
        summaries = registry.summaries()
        assert tuple(registry) == tuple(summaries)
        assert set(registry.built_in) <= set(summaries)
        assert all(len(summary) > 8 and "\n" not in summary for summary in summaries.values())
        assert "no such thing" not in registry
