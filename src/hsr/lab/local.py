"""What a page without a server must know: `python -m hsr.lab.local > web/src/local/declared.ts`.

The module holds the mazes and names of the library, and what requests may contain. The page then
checks requests by the same declarations as the server.
"""

import json
import sys
from typing import Any

from pydantic.json_schema import models_json_schema

import hsr
from hsr.lab.answers import Answers
from hsr.lab.requests import NO_OPTIONS, OF_THE_TASK, REQUESTS, Presets
from hsr.toolkit import defaults

_HEAD = "// Made by `python -m hsr.lab.local` (`make lab-page` calls it). Do not edit."
_KEPT = (
    "$ref", "type", "properties", "required", "items", "anyOf", "oneOf", "const", "enum", "names",
    "pattern", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minLength", "maxLength", "minItems", "maxItems",
)  # fmt: skip
_OF_THE_LINK = ("id", "do")


def typescript() -> str:
    """Return the TypeScript module: `PRESETS`, and all that is declared of requests."""
    _, schema = models_json_schema([(request, "validation") for request in REQUESTS.values()])
    models = {name: _kept(model) for name, model in sorted(schema["$defs"].items())}
    for name, field, names in _registered():
        models[name]["properties"][field] = _with_names(models[name]["properties"][field], names)
    asked = {do: models.pop(request.__name__) for do, request in REQUESTS.items()}
    presets = Answers().answer(Presets(id=0, do="presets"))
    reads = {name: entry.settings for name, entry in hsr.REPRESENTATIONS.items()}
    specs = (hsr.BasisSpec, hsr.LinearQ, hsr.OnlineOptions, hsr.Sarsa)
    usual = {spec.__name__: defaults(spec) for spec in specs}
    lines = [
        _HEAD,
        'import { PresetsReply } from "../schema";',
        'import type { Declared } from "./request";',
        "",
        f"export const PRESETS: PresetsReply = {_written(presets)};",
        f"export const REQUESTS: Record<string, Declared> = {_written(asked)};",
        f"export const DEFINITIONS: Record<string, Declared> = {_written(models)};",
        "/** The settings that each representation reads. */",
        f"export const READS: Record<string, readonly string[]> = {_written(reads)};",
        "/** The fields of each specification and their defaults. */",
        "export const SPECIFICATIONS: Record<string, Record<string, unknown>> = "
        f"{_written(usual)};",
    ]
    return "\n".join(lines) + "\n"


def _registered() -> list[tuple[str, str, list[str]]]:
    """Return the model, the field and the names of what is chosen from a registry."""
    maps = [*hsr.REPRESENTATIONS, *OF_THE_TASK]
    return [
        ("Options", "kind", [*hsr.OPTION_KINDS, NO_OPTIONS]),
        ("Basis", "kind", list(hsr.BASES)),
        ("ShowBasis", "basis", list(hsr.BASES)),
        *((model, "which", maps) for model in ("Basis", "Matrix", "Rows", "ShowBasis", "ShowRows")),
    ]


def _with_names(field: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return a declared field in which every text must be one of some names."""
    if "anyOf" in field:
        return {**field, "anyOf": [_with_names(choice, names) for choice in field["anyOf"]]}
    return {**field, "names": names} if field.get("type") == "string" else field


def _kept(schema: Any) -> Any:
    """Return a JSON schema without what describes it and without what the link adds."""
    if isinstance(schema, list):
        return [_kept(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _kept(schema[key]) for key in _KEPT if key in schema and key != "properties"}
    if "properties" in schema:
        fields = {k: v for k, v in schema["properties"].items() if k not in _OF_THE_LINK}
        kept["properties"] = {name: _kept(field) for name, field in fields.items()}
        kept["required"] = [name for name in schema.get("required", ()) if name in fields]
    return {**kept, "default": schema["default"]} if "default" in schema else kept


def _written(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)


if __name__ == "__main__":
    sys.stdout.write(typescript())
