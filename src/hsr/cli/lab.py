"""`hsr lab`: the interactive page, written to a file and opened in the browser."""

import tempfile
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hsr import InputError
from hsr._base.durable import write_text
from hsr.cli.console import say
from hsr.cli.mazes import find_layout


@dataclass(frozen=True)
class Lab:
    """Open an interactive page in the browser: draw a maze, see its maps, watch agents learn.

    The page is one file that computes by itself. It can be passed on or put on a web server.
    """

    layout: Annotated[
        tyro.conf.Positional[str],
        tyro.conf.arg(
            metavar="[NAME_OR_FILE]", help="A built-in maze such as loop, or a text file."
        ),
    ] = "four_rooms"
    map: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """A map of this maze, written by hsr.save, to be shown beside the exact ones."""
    out: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write the page to this file and open nothing."""

    def __call__(self) -> int:
        """Write the page, and open it unless --out names its file."""
        import hsr
        from hsr.lab.page import page_with

        if self.out is not None and self.out.exists() and not self.out.is_file():
            raise InputError(f"--out is {str(self.out)!r}, which is not a file")
        layout, discount, maps = find_layout(self.layout), None, {}
        if self.map is not None:
            M = hsr.load(self.map)
            if not isinstance(M, hsr.PredictiveMap):
                raise InputError(
                    f"{self.map} holds {type(M).__name__}; the lab shows files of maps"
                )
            discount = 0.9 if M.discount is None else M.discount
            maps = {self.map.stem: hsr.load(self.map, hsr.grid_mdp(layout, discount=discount))}
        code = {name: f"hsr.load({str(self.map)!r}, mdp)" for name in maps}
        page = page_with(layout, discount, maps, code)
        path = self.out or Path(tempfile.mkdtemp(prefix="hsr-"), "lab.html")
        try:
            write_text(path, page)
        except OSError as error:
            raise InputError(f"--out is {str(path)!r}; it cannot be written: {error}") from None
        say(f"wrote: {path}")
        if self.out is None and not webbrowser.open(path.resolve().as_uri()):
            say("no browser could be started; open the file yourself")
        return 0
