"""What is read as a request, and what is refused in one sentence."""

import json

import pytest

from hsr.lab import limits
from hsr.lab.messages import RefusedRequest, read_request
from hsr.lab.requests import Train

WORLD = {
    "map": "S.1\n..2",
    "discount": 0.9,
    "options": {"kind": "eigen", "n": 2, "signs": "both", "seed": 0},
}
TRAIN = {
    "id": 3,
    "do": "train",
    "world": WORLD,
    "agents": [{"features": "sr"}],
    "seed": 0,
    "episodes": 5,
    "horizon": 10,
}


def refusal(request):
    with pytest.raises(RefusedRequest) as caught:
        read_request(request if isinstance(request, str) else json.dumps(request))
    return caught.value


def changed(path, value):
    """Return the training request with one field changed, or left out where the value is None."""
    request = json.loads(json.dumps(TRAIN))
    *outer, last = path.split(".")
    place = request
    for name in outer:
        place = place[int(name)] if name.isdigit() else place[name]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return request


def test_a_request_is_read():
    request = read_request(json.dumps(TRAIN))
    assert isinstance(request, Train)
    assert (request.agents[0].features, request.world.options.signs, request.world.task) == (
        "sr",
        "both",
        "walk",
    )


def test_a_request_is_frozen_and_hashable():
    world = read_request(json.dumps(TRAIN)).world
    assert world == read_request(json.dumps(TRAIN)).world
    assert len({world, read_request(json.dumps(TRAIN)).world}) == 1
    with pytest.raises(ValueError, match="frozen"):
        world.discount = 0.5


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("world.discount", 1.0),
        ("world.discount", "0.9"),
        ("world.map", "." * 16_641),
        ("world.map", 7),
        ("world.options.n", 0),
        ("world.options.n", 65),
        ("world.options.kind", "eigenoption"),
        ("world.task", "3"),
        ("world.path", "/etc/passwd"),
        ("agents", []),
        ("agents", [{}, {}, {}]),
        ("agents.0.learning_rate", 0.0),
        ("agents.0.epsilon", 1.5),
        ("agents.0.options", 1),
        ("episodes", 201),
        ("episodes", 2.5),
        ("episodes", True),
        ("n_seeds", 0),
        ("n_seeds", limits.SEEDS + 1),
        ("horizon", 5001),
        ("horizon", 0),
        ("horizon", None),
        ("seed", -1),
        ("seed", 2**63),
        ("do", "dance"),
        ("do", None),
        ("surprise", 1),
    ],
)
def test_what_does_not_fit_is_refused_by_name_and_keeps_its_number(path, value):
    error = refusal(changed(path, value))
    assert error.id == 3
    assert "\n" not in str(error)
    assert len(str(error)) < 400
    assert path.split(".")[-1] in str(error)


@pytest.mark.parametrize("number", [-1, 2**53 + 1, 1.5, "1", True, None, [1]])
def test_a_number_that_is_none_is_not_repeated(number):
    error = refusal({**TRAIN, "id": number})
    assert error.id is None
    assert "id" in str(error)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "nonsense",
        "[1]",
        '"maze"',
        "null",
        "1",
        "NaN",
        '{"id": NaN}',
        "[" * 100_000,
        "9" * 10_000,
        "\x00",
    ],
)
def test_what_is_no_object_is_refused(text):
    error = refusal(text)
    assert error.id is None
    assert "\n" not in str(error)


def test_a_number_that_is_not_finite_is_refused():
    assert "discount" in str(
        refusal('{"id": 1, "do": "world", "world": {"map": ".", "discount": 1e999}}')
    )


def test_a_long_frame_is_refused_before_it_is_read():
    assert "262,144" in str(refusal('{"id": 1, "do": "presets"' + " " * limits.FRAME_BYTES + "}"))


def test_a_sentence_holds_no_control_characters_and_little_of_what_came():
    error = refusal(changed("world.task", "\x1b[31m" * 1000))
    assert str(error).isprintable()
    assert len(str(error)) < 200
