"""A setting as a TOML file that says what every field takes and decides."""

from collections.abc import Iterator

from hsr.paper.changes import write_value
from hsr.paper.experiment import Experiment
from hsr.paper.fields import FieldFacts, fields_of
from hsr.paper.setting import Setting


def config_file(experiment: Experiment, setting: Setting) -> str:
    """Return a setting as the text of a TOML file, which `hsr.paper.changes.read_file` reads.

    Every field is written, with a comment. So the file gives the same setting whatever preset it
    changes. Of a field that the experiment sets itself and the list of its values, one is written:
    the list, unless it has been restricted to the field.
    """
    facts = fields_of(setting)
    for path, values in experiment.swept.items():
        restricted = facts[values].value == (facts[path].value,)
        del facts[values if restricted else path]
    return "\n".join(_lines(experiment, facts)) + "\n"


def _lines(experiment: Experiment, facts: dict[str, FieldFacts]) -> Iterator[str]:
    yield f"# Settings of {experiment.name}: {experiment.title}."
    yield f"# hsr run {experiment.name} --config THIS_FILE"
    # Tables end the part of a TOML file that belongs to no table.
    for path, one in facts.items():
        if "." not in path:
            yield from _field(path, one)
    tables = dict.fromkeys(path.rpartition(".")[0] for path in facts if "." in path)
    for table in tables:
        yield ""
        yield f"[{table}]"
        for path, one in facts.items():
            outer, _, name = path.rpartition(".")
            if outer == table:
                yield from _field(name, one)


def _field(name: str, one: FieldFacts) -> Iterator[str]:
    yield ""
    yield f"# {one.description}: {one.allowed}"
    yield f"{name} = {write_value(one.value)}"
