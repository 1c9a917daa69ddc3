"""`hsr lab`: the interactive page, served on this machine."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from hsr import InputError
from hsr.cli.console import say


@dataclass(frozen=True)
class Lab:
    """Open an interactive page in the browser: draw a maze, see its maps, watch agents learn."""

    port: int = 0
    """Port to serve on; 0 means any free port."""
    no_browser: bool = False
    """Print the address without opening a browser."""
    host: str = "127.0.0.1"
    """Address to serve on. Other machines can reach any but 127.0.0.1, which needs --i-know."""
    i_know: bool = False
    """Confirm that other machines may connect to --host, without encryption."""
    map: tuple[Path, ...] = ()
    """Files of maps, written by hsr.save, to be shown beside the exact ones."""
    static: Annotated[Path | None, tyro.conf.arg(metavar="FILE")] = None
    """Write the page that needs no server to this file, and serve nothing."""

    def __call__(self) -> int:
        """Serve until Ctrl-C, or write the static page."""
        if self.static is not None:
            return _write_static(self.static)
        _check_host(self.host, self.i_know)
        if not 0 <= self.port <= 65535:
            raise InputError(f"--port is {self.port}; it must lie in 0..65535")
        from hsr.lab.map_files import offer_map
        from hsr.lab.server import serve

        for path in self.map:
            offer_map(path)

        def opened(address: str, has_page: bool) -> None:
            say(f"the lab is open until Ctrl-C at {address}")
            if not has_page:
                from hsr.lab.page import MISSING

                say(f"hsr: warning: {MISSING}", file=sys.stderr)
            elif not self.no_browser:
                import webbrowser

                webbrowser.open(address)

        idle = serve(self.host, self.port, opened=opened)
        say("the lab is closed")
        if not idle:
            # Compiled work cannot be stopped, and the interpreter would wait for it.
            sys.stderr.flush()
            os._exit(0)
        return 0


def _write_static(path: Path) -> int:
    from hsr.lab.page import MISSING, read_static

    content = read_static()
    if content is None:
        raise InputError(MISSING)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"--static is {str(path)!r}; it cannot be written: {error}") from None
    say(f"wrote {path}; open it in a browser, or put it on a web server as it is")
    return 0


def _check_host(host: str, known: bool) -> None:
    from hsr.lab.guard import is_wildcard

    if is_wildcard(host):
        raise InputError(
            f"--host is {host!r}; it must be one address, which is given to the browser"
        )
    if host not in ("127.0.0.1", "localhost") and not known:
        raise InputError(
            f"--host is {host!r}; other machines could then reach the lab over an unencrypted "
            "connection. If you want that, add --i-know"
        )
