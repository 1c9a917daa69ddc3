"""The page: one file, and the headers that let a browser run its own scripts and nothing else.

The file works without a server: its own policy forbids every connection, and it computes in the
browser. A server sends the same file with another mark and its own policy, so that the page asks
the server instead.
"""

import re
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

_ELEMENT = r"<{0}\b[^>]*>(.*?)</{0}\s*>"
_OWN_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>\n?')
_STATIC, _SERVED = (f'<meta name="hsr-lab" content="{mark}">' for mark in ("static", "served"))
MISSING = "the page of the lab, src/hsr/lab/static/lab.html, is missing; `make lab-page` builds it"
ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Page:
    """The bytes of the page and its headers."""

    content: bytes
    headers: dict[str, str]


def read_static() -> bytes | None:
    """Return the page that needs no server, as it comes with the package, or None if missing."""
    file = files("hsr.lab").joinpath("static", "lab.html")
    return file.read_bytes() if file.is_file() else None


def read_page() -> Page | None:
    """Return the page as a server sends it, or None if it is missing."""
    content = read_static()
    return None if content is None else page_of(content)


def page_of(content: bytes) -> Page:
    """Return a page that may run its own scripts and styles and talk to its own server.

    Scripts and styles are known by their hashes.
    """
    text = content.decode("utf-8").replace("\r\n", "\n")
    text = _OWN_POLICY.sub("", text, count=1).replace(_STATIC, _SERVED, 1)
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hashes(text, 'script')}",
            f"style-src {_hashes(text, 'style')}",
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )
    return Page(text.encode("utf-8"), {**ALWAYS, "content-security-policy": policy})


def _hashes(text: str, element: str) -> str:
    """Return the hashes of all inline elements of this kind, for a policy; 'none' without any."""
    bodies = re.findall(_ELEMENT.format(element), text, re.S | re.I)
    digests = [b64encode(sha256(body.encode("utf-8")).digest()).decode("ascii") for body in bodies]
    return " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
