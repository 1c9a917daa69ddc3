"""Who may ask: Host, Origin and token; and what a browser is allowed to do with the page."""

import re
from base64 import b64decode, b64encode
from hashlib import sha256

import pytest

from hsr.lab.guard import Guard, new_token
from hsr.lab.page import page_of, read_page, read_static

GUARD = Guard.of("127.0.0.1", 8000, token="secret")
OWN = [(b"host", b"127.0.0.1:8000"), (b"origin", b"http://127.0.0.1:8000")]


def fault(headers=OWN, query=b"token=secret", needs_origin=True):
    return GUARD.fault(headers, query, needs_origin=needs_origin)


def test_the_own_page_may_pass():
    assert fault() is None
    assert fault([(b"Host", b"LOCALHOST:8000"), (b"Origin", b"http://localhost:8000")]) is None
    assert fault([(b"host", b"localhost:8000")], needs_origin=False) is None


def test_a_host_given_in_capitals_is_the_one_that_browsers_name_in_small_letters():
    guard = Guard.of("MyHost", 8000, token="secret")
    assert guard.fault([(b"host", b"myhost:8000")], b"token=secret", needs_origin=False) is None


@pytest.mark.parametrize(
    "host",
    [
        b"evil.example",
        b"evil.example:8000",
        b"127.0.0.1",
        b"127.0.0.1:8001",
        b"127.0.0.1:8000.evil.example",
        b"",
    ],
)
def test_a_foreign_host_is_turned_away(host):
    assert "Host" in fault([(b"host", host)], needs_origin=False)


def test_a_missing_or_second_host_is_turned_away():
    assert "Host" in fault([], needs_origin=False)
    assert "Host" in fault([OWN[0], (b"host", b"evil.example")], needs_origin=False)


@pytest.mark.parametrize(
    "origin",
    [
        b"http://evil.example",
        b"null",
        b"https://127.0.0.1:8000",
        b"http://127.0.0.1:8001",
        b"http://localhost:8000",
        b"",
    ],
)
@pytest.mark.parametrize("needs_origin", [True, False])
def test_a_foreign_origin_is_turned_away(origin, needs_origin):
    """Of two names of this server only the one that the page was opened under is its own."""
    assert "Origin" in fault([OWN[0], (b"origin", origin)], needs_origin=needs_origin)


def test_a_socket_without_an_origin_is_turned_away():
    assert "Origin" in fault(OWN[:1])
    assert "Origin" in fault([*OWN, (b"origin", b"http://evil.example")])


@pytest.mark.parametrize(
    "query",
    [
        b"",
        b"token=",
        b"token=Secret",
        b"token=secre",
        b"token=secret&token=secret",
        b"nekot=secret",
        b"&" * 999,
        b"\xff",
    ],
)
def test_a_wrong_token_is_turned_away(query):
    assert "token" in fault(query=query)


def test_the_name_that_was_given_is_a_host_too():
    assert Guard.of("192.0.2.7", 80, token="t").hosts >= {"192.0.2.7:80", "192.0.2.7"}
    assert Guard.of("::1", 8000, token="t").hosts >= {"[::1]:8000"}


def test_tokens_are_long_and_different():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(
        re.fullmatch(r"[\w-]{43}", token) for token in tokens
    )  # 32 bytes, 6 bits a character


def test_a_page_may_run_its_own_script_and_style_by_hash_and_nothing_else():
    page = page_of(
        b"<style>p {}</style><script type='module'>\nlet a = '<';\n</script><script>b</script>"
    )
    policy = dict(
        part.split(" ", 1) for part in page.headers["content-security-policy"].split("; ")
    )
    digests = [b64decode(word[8:-1]) for word in policy["script-src"].split()]
    assert digests == [sha256(text).digest() for text in (b"\nlet a = '<';\n", b"b")]
    assert b64decode(policy["style-src"][8:-1]) == sha256(b"p {}").digest()
    assert (policy["default-src"], policy["connect-src"], policy["frame-ancestors"]) == (
        "'none'",
        "'self'",
        "'none'",
    )
    assert not re.search(r"unsafe|\*|https?:", page.headers["content-security-policy"])


def test_the_page_that_comes_with_the_package_needs_nothing_from_elsewhere():
    page = read_page()
    assert page is not None
    assert not re.search(
        rb"""(?:src|href)\s*=\s*["']?(?!data:|#)[\w/.]""", page.content.split(b"<script", 1)[0]
    )
    assert not re.search(
        rb"\son\w+\s*=\s*[\"']", page.content.split(b"<script", 1)[0]
    )  # a policy by hash forbids these


def policy_of(text):
    content = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    return dict(part.split(" ", 1) for part in content.split("; "))


def test_the_page_without_a_server_connects_to_nothing_and_is_small():
    content = read_static()
    assert len(content) < 3_000_000
    text = content.decode()
    policy = policy_of(text)
    for kind in ("script", "style"):
        (body,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.S)
        digest = b64encode(sha256(body.encode()).digest()).decode()
        more = (
            " 'wasm-unsafe-eval'" if kind == "script" else ""
        )  # vector instructions of its worker
        assert policy[f"{kind}-src"] == f"'sha256-{digest}'{more}"
    assert (policy["default-src"], policy["connect-src"]) == ("'none'", "'none'")
    assert policy["worker-src"] == "blob:"
    assert "cannot run the lab" in text.split("<script>")[0]  # seen where no script runs


def test_a_server_marks_the_page_as_its_own_and_replaces_its_policy():
    alone, served = read_static().decode(), read_page().content.decode()
    assert 'name="hsr-lab" content="static"' in alone
    assert 'name="hsr-lab" content="served"' in served
    assert "Content-Security-Policy" not in served.split("<style>")[0]
    assert served.split("<style>")[1] == alone.split("<style>")[1]
