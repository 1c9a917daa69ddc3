"""Code of the page, run by Node: modules of `web/src/local` give numbers that tests compare."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hsr.lab.page import declared

WEB = Path(__file__).parents[3] / "web"

_RUNNER = """
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const { web, source, given } = JSON.parse(readFileSync(0, "utf8"));
const { buildSync } = createRequire(web + "/package.json")("esbuild");
const bundle = buildSync({
  stdin: { contents: source, resolveDir: web + "/src/local", loader: "ts" },
  bundle: true, write: false, format: "esm", target: "es2022", logLevel: "error",
}).outputFiles[0].text;
const address = "data:text/javascript;base64," + Buffer.from(bundle).toString("base64");
const { default: compute } = await import(address);
const plain = (name, one) => ArrayBuffer.isView(one) ? [...one] : one;
process.stdout.write(JSON.stringify(await compute(given), plain));
"""


@cache
def _declare():
    """Write what the page reads of the library, unless it is there: others may be reading it."""
    path, text = WEB / "src" / "declared.json", json.dumps(declared())
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def computed(source: str, given: Any = None) -> Any:
    """Return what a function of the page gives, or skip the test if Node cannot run it.

    Parameters
    ----------
    source : str
        TypeScript that exports a function by default. It stands in `web/src/local`, so that it
        imports "./random" and the like.
    given : Any
        The argument of the function, written as JSON.
    """
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not (WEB / "node_modules" / "esbuild").exists():
        pytest.skip("web/node_modules is missing; `make lab-page` makes it")
    _declare()
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", _RUNNER],
        input=json.dumps({"web": str(WEB), "source": source, "given": given}),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


REPLIES = """
import { answer } from "./answers";
import { Slices } from "./work";

export const reply = async ({ do: name, ...fields }, work = new Slices()) => {
  try {
    return await answer(name, fields, work);
  } catch (error) {
    return { refused: error.message };
  }
};

export default async (asked) => {
  const replies = [];
  for (const request of asked) replies.push(await reply(request));
  return replies;
};
"""


def replies_of_the_page(requests: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the reply of the page to each request, with all digits, or why it was refused."""
    return dict(zip(requests, computed(REPLIES, list(requests.values())), strict=True))


def world(maze: str, task="walk", discount=0.9, reading=None, **options: Any) -> dict[str, Any]:
    """Return a world as the page describes it: what is not given has its default."""
    settings = declared()["option_settings"]
    usual = {name: setting["default"] for name, setting in settings.items()}
    return {
        "map": maze,
        "discount": discount,
        "options": {"kind": "eigen", "n": 8, **usual, **options},
        "reading": {"ties": "uniform", "stopping_state": "counted_once", **(reading or {})},
        "task": task,
    }


def assert_same(shown: Any, expected: Any) -> None:
    """Assert that numbers are the library's to 1e-9, which is what the page promises."""
    np.testing.assert_allclose(np.array(shown), expected, rtol=1e-9, atol=1e-9)
