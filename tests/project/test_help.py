"""`help()` explains every public name: each parameter has a sentence, and an example runs."""

import inspect
import re

import pytest

import hsr

REGISTRIES = {"OPTION_KINDS", "REPRESENTATIONS", "BASES", "BONUSES"}
NAMES = [name for name in hsr.__all__ if name not in REGISTRIES and not name.startswith("_")]


def parameters_of(thing):
    """Return the parameters that a caller can give."""
    parameters = inspect.signature(thing).parameters.items()
    return [
        name for name, p in parameters if name not in {"self", "y"} and p.kind != p.VAR_POSITIONAL
    ]


def explained(doc):
    """Return which parameters, or attributes of a result, have a sentence of their own."""
    sections = re.findall(
        r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", doc, re.M | re.S
    )
    found = {}
    for head, body in re.findall(
        r"^(\*{0,2}\w[\w, *]*?)(?: : [^\n]*(?:\n(?! |\n)[^\n:]*)*)?\n((?:^ +[^\n]*\n|\n)*)",
        "\n".join(sections) + "\n",
        re.M,
    ):
        for name in re.split(r",\s*", head.strip()):
            found[name.lstrip("*")] = bool(body.strip())
    return found


def doc_of(name):
    return inspect.cleandoc(getattr(hsr, name).__doc__ or "")


@pytest.mark.parametrize("name", NAMES)
def test_help_shows_an_example_and_explains_every_parameter(name):
    thing = getattr(hsr, name)
    assert ">>> " in doc_of(name), f"help(hsr.{name}) shows no example"
    if not callable(thing) or (isinstance(thing, type) and issubclass(thing, Exception | Warning)):
        return
    known = explained(doc_of(name))
    missing = [one for one in parameters_of(thing) if not known.get(one)]
    assert not missing, f"help(hsr.{name}) does not explain {', '.join(missing)}"


def test_a_parameter_without_a_sentence_is_noticed():
    head = "Sum.\n\nParameters\n----------\na : int\n    The first.\nb : int\n"
    doc = f"{head}\nReturns\n-------\nint"
    assert explained(doc) == {"a": True, "b": False}
