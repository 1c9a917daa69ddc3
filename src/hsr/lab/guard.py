"""`Guard`: who may ask. Only a page that this server sent, in a browser on this machine."""

import hmac
import ipaddress
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl

Headers = Iterable[tuple[bytes, bytes]]


def new_token() -> str:
    """Return a random token of 256 bits that can stand in an address."""
    return secrets.token_urlsafe(32)


def is_wildcard(host: str) -> bool:
    """Return whether a name or address means every address of this machine.

    The name is resolved, because there are many ways to write such an address.

    Examples
    --------
    >>> [is_wildcard(host) for host in ("0.0.0.0", "0x0", "[::]", "127.0.0.1")]
    [True, True, True, False]
    """
    name = host.strip().removeprefix("[").removesuffix("]")
    if name in ("", "*"):
        return True
    try:
        found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return any(_is_unspecified(str(address[0])) for *_, address in found)


def _is_unspecified(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_unspecified or (mapped is not None and mapped.is_unspecified)


@dataclass(frozen=True)
class Guard:
    """What a request for the page or the socket must have.

    - The `Host` header names this server. A foreign name that resolves to 127.0.0.1 is refused.
    - The `Origin` header names this server, if there is one. Browsers send it whenever a page talks
      to a server, and a socket must have it.
    - The query has the token that `hsr lab` printed. Tokens are compared in constant time.

    Attributes
    ----------
    token : str
        The token of this server.
    hosts : frozenset of str
        The values of the `Host` header that mean this server.

    Examples
    --------
    >>> guard = Guard.of("127.0.0.1", 8000, token="t")
    >>> sorted(guard.hosts)
    ['127.0.0.1:8000', 'localhost:8000']
    >>> guard.fault([(b"host", b"localhost:8000")], b"token=t", needs_origin=False) is None
    True
    >>> guard.fault([(b"host", b"evil.example:8000")], b"token=t", needs_origin=False)
    'the Host header does not name this server'
    """

    token: str
    hosts: frozenset[str]

    @classmethod
    def of(cls, host: str, port: int, *, token: str) -> "Guard":
        """Return the guard of a server bound to this host and port."""
        names = {host.lower(), "127.0.0.1", "localhost"}
        with_port = {f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names}
        # A browser leaves out the default port.
        bare = {f"[{name}]" if ":" in name else name for name in names} if port == 80 else set()
        return cls(token, frozenset(with_port | bare))

    def foreign(self, headers: Headers, *, needs_origin: bool) -> str | None:
        """Return what is wrong with the origin of a request, or None."""
        named = [(name.lower(), value.decode("latin-1")) for name, value in headers]
        hosts = [value for name, value in named if name == b"host"]
        origins = [value for name, value in named if name == b"origin"]
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "the Host header does not name this server"
        if needs_origin and not origins:
            return "there is no Origin header; only the page of this server may open a socket"
        if any(origin.lower() != f"http://{hosts[0].lower()}" for origin in origins):
            return "the Origin header does not name this server"
        return None

    def stranger(self, query: bytes) -> str | None:
        """Return what is wrong with the token in a query, or None."""
        try:
            fields = parse_qsl(query.decode("latin-1"), max_num_fields=8)
        except ValueError:
            fields = []
        tokens = [value for name, value in fields if name == "token"]
        if len(tokens) == 1 and hmac.compare_digest(tokens[0].encode(), self.token.encode()):
            return None
        return (
            "the token is missing or wrong; open the address that hsr lab printed, "
            "and append the part of a copied link from # on"
        )

    def fault(self, headers: Headers, query: bytes, *, needs_origin: bool) -> str | None:
        """Return why a request is refused, or None if it may pass."""
        return self.foreign(headers, needs_origin=needs_origin) or self.stranger(query)
