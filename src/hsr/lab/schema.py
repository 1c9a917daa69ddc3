"""Types of requests and replies for the page: `python -m hsr.lab.schema > web/src/schema.ts`.

They are made from the JSON schema of the models, together with the limits and the first maze.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

import hsr
from hsr.lab import limits
from hsr.lab.replies import Replies
from hsr.lab.requests import REQUESTS

_HEAD = "// Made by `python -m hsr.lab.schema` (`make lab-page` calls it). Do not edit."
_TYPES = {"string": "string", "boolean": "boolean", "integer": "number", "number": "number"}
_PATH = "#/$defs/"


def typescript() -> str:
    """Return the TypeScript module: interfaces, `Requests`, `Replies`, `LIMITS` and constants."""
    modes = [(request, "validation") for request in REQUESTS.values()]
    _, asked = models_json_schema(modes)  # type: ignore[arg-type]
    replied = TypeAdapter(Replies).json_schema()
    kinds = {**asked["$defs"], **replied.pop("$defs"), "Replies": replied}
    lines = [_HEAD, ""]
    for name, schema in sorted(kinds.items()):
        lines += [*_interface(name, schema), ""]
    lines += ["export interface Requests {"]
    lines += [f'  {do}: Omit<{r.__name__}, "id" | "do">;' for do, r in REQUESTS.items()]
    numbers = {name: value for name, value in vars(limits).items() if name.isupper()}
    slow = [do for do, request in REQUESTS.items() if request.pool == "long"]
    maze = hsr.load_layout("four_rooms").to_text()
    lines += [
        "}",
        "",
        f"export const LIMITS = {json.dumps(numbers, indent=2)} as const;",
        f"export const LONG_REQUESTS: readonly string[] = {json.dumps(slow)};",
        f"export const FIRST_MAZE = {json.dumps(maze)};",
    ]
    return "\n".join(lines) + "\n"


def _interface(name: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"/** {' '.join(schema.get('description', name).split())} */"
    yield f"export interface {name} {{"
    required = schema.get("required", ())
    for field, of in schema.get("properties", {}).items():
        yield f"  {field}{'' if field in required else '?'}: {_type(of)};"
    yield "}"


def _type(schema: dict[str, Any]) -> str:
    """Return the TypeScript type of a JSON schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_PATH)
    if "const" in schema or "enum" in schema:
        words = [schema["const"]] if "const" in schema else schema["enum"]
        return " | ".join(json.dumps(word) for word in words)
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " | ".join(_type(choice) for choice in choices)
    kind = schema.get("type")
    if kind == "array":
        inner = _type(schema["items"])
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    if kind == "object":
        return f"Record<string, {_type(schema.get('additionalProperties', {}))}>"
    return "null" if kind == "null" else _TYPES.get(str(kind), "unknown")


if __name__ == "__main__":
    sys.stdout.write(typescript())
