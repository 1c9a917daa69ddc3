"""Links keep every setting, and one that is broken gives a sentence and the usual state."""

import pytest

from tests.lab.node.page_code import computed

SOURCE = """
import { readHash, toHash } from "../fragment";
import { DEFAULTS, KEYS, SETTINGS } from "../state";
export default (links) => ({
  usual: DEFAULTS,
  letters: KEYS.map((key) => SETTINGS[key].letters),
  read: links.map((link) => ({ ...readHash(link), again: readHash(toHash(readHash(link).state)) })),
  broken: KEYS.map((key) => readHash(`${SETTINGS[key].letters}=%3Cb%3E`)),
});
"""
BROKEN = {
    "d=abc": 'discount is "abc"; expected a number from 0 to 0.9999',
    "m=200x200.AAAA...": "200 x 200 cells; at most 61 x 61",
    "m=3x3.AA": "not written as the lab writes mazes",
    "m=3x3.AA...": "cut off or damaged",
    "m=3x3._4A...": "no open cell",
    "m=3x3.AAA.9..": "S where no floor is",
    "o=successor": "expected one of eigen, covering",
    "xa=spie-sr-frontier": "expected up to four agents",
    "v=__proto__&t=constructor&w=toString&o=valueOf": "(and 3 more)",
    "x" * 9000: "9000 characters",
}
CHANGED = "m=3x4.AAA.0.5.11&t=explore&h=1&d=0.55&o=covering&oi=everywhere&xa=spie-hsr-1&r1=0.5"


@pytest.fixture(scope="module")
def page():
    return computed(SOURCE, [*BROKEN, CHANGED])


def test_a_broken_link_gives_a_sentence_and_the_usual_state(page):
    assert len(set(page["letters"])) == len(page["letters"])
    for words, read in zip(BROKEN.values(), page["read"], strict=False):
        assert words in read["problem"]
    for read in [*page["read"][: len(BROKEN)], *page["broken"]]:
        assert read["problem"].endswith(".")
        assert read["state"] == page["usual"]


def test_a_link_keeps_every_setting(page):
    read = page["read"][-1]
    assert read["problem"] == read["again"]["problem"] == ""
    assert read["state"] == read["again"]["state"]
    changed = {key for key, value in read["state"].items() if value != page["usual"][key]}
    assert len(changed) == CHANGED.count("=")
    assert read["state"]["map"] == "S...\n.1..\n...2"
