"""Code of the page, run by Node: modules of `web/src/local` give numbers that tests compare."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

WEB = Path(__file__).parents[2] / "web"

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
process.stdout.write(JSON.stringify(await compute(given)));
"""


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
        pytest.skip("web/node_modules is missing; `npm ci` in web/ makes it")
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
import { Reals, Wholes } from "./numbers";
import { Slices } from "./work";

const plain = (value) => {
  const { values, shape } = value ?? {};
  if (value instanceof Reals || value instanceof Wholes) return { values: [...values], shape };
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
};

export const reply = async ({ do: name, ...fields }, work = new Slices()) => {
  try {
    return plain(await answer(name, fields, work));
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


def array(numbers: dict[str, list[Any]]) -> np.ndarray:
    """Return an array of such a reply."""
    return np.array(numbers["values"]).reshape(numbers["shape"])
