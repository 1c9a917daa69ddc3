"""The page of advice says what the committed ledger says."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CITED = re.compile(r"\[`([a-z0-9-]+)`\]\(results/(\w+)\.md#([a-z0-9-]+)\): ([^()]+)\)")


def test_every_finding_has_the_verdict_of_the_ledger():
    ledger = {
        row["claim"]: row for row in json.loads((ROOT / "docs/results/ledger.json").read_text())
    }
    text = " ".join((ROOT / "docs/choosing.md").read_text(encoding="utf-8").split())
    cited = CITED.findall(text)
    assert len(cited) == text.count("[`") - text.count('[`method="frontier"`]')
    for claim, page, anchor, words in cited:
        verdict, *controls = words.split("; ")
        assert (ledger[claim]["experiment"], claim) == (page, anchor)
        assert verdict == ledger[claim]["verdict"], claim
        for control in controls:
            name, _, word = control.rpartition(": ")
            assert ledger[claim]["controls"][name] == word, (claim, name)
