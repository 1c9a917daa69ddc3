"""The report card: an own agent, representation or option method against the library's own.

- `suite` has the mazes, the tests, and the baselines with the rates that suit them in other mazes.
- `report` has `card`, which takes a thing through the suite, and the page that it writes.
"""

from hsr.experiments.card.report import Card, card, load_thing

__all__ = ["Card", "card", "load_thing"]
