"""Two settings of an experiment, or two stores, compared over worlds.

- `Side`: a store and a setting. `side_of` makes it from changes of a preset.
- `compared` pairs the worlds that both sides hold and returns a `Compared`: the curves and the
  contrast of each agent. `Compared.rows` is the table, as data.
- `draw_compared` draws both sides in one figure.
"""

from hsr.paper.comparing.compared import Compared, compared
from hsr.paper.comparing.figure import draw_compared
from hsr.paper.comparing.side import Side, labelled, side_of

__all__ = ["Compared", "Side", "compared", "draw_compared", "labelled", "side_of"]
