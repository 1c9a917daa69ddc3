"""Templates of the report and of pages of the documentation, and the words that they share."""

import re
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from hsr.experiments import summary
from hsr.experiments.ledger import COLUMNS


def render(template: str, **variables: Any) -> str:
    """Return a template filled in.

    Parameters
    ----------
    template : str
        A file in the folder templates. Only HTML is escaped.
    **variables
        Variables of the template.
    """
    environment = Environment(
        loader=PackageLoader("hsr.experiments"),
        autoescape=lambda name: name is not None and name.endswith(".html"),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "bold": _bold,
        "share": summary.share,
        "single_worlds": summary.single_worlds,
        "cell": summary.cell,
        "chosen_lines": summary.chosen_lines,
        "difference": summary.difference_of,
        "effect": summary.effect_of,
        "judged": summary.judged_of,
        "measured": summary.measured,
        "parts": summary.parts_of,
        "verdict": summary.verdict_of,
    }
    environment.globals["columns"] = COLUMNS
    return environment.get_template(template).render(**variables)


def _bold(caption: str) -> Markup:
    """Return a caption as HTML on one line, with the letters between asterisks in bold."""
    line = str(escape(" ".join(caption.split())))
    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", line))
