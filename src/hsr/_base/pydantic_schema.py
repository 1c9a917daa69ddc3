"""How pydantic reads, writes and describes a specification; imported only when pydantic asks."""

from dataclasses import fields
from typing import Any

from pydantic_core import PydanticCustomError, core_schema

from hsr._base.declaration import Declared, declarations
from hsr._base.errors import InputError
from hsr._base.registry import UnknownName


def schema_of(spec: type) -> core_schema.CoreSchema:
    """Return the schema of a specification: its declared fields, each with its default."""
    declared = declarations(spec)
    names = [one.name for one in fields(spec) if one.name in declared]
    usual = {one.name: one.default for one in fields(spec)}
    arguments = [
        core_schema.dataclass_field(
            name,
            core_schema.with_default_schema(
                _field_schema(declared[name], usual[name], name), default=usual[name]
            ),
            metadata={"pydantic_js_updates": {"description": declared[name].description}},
        )
        for name in names
    ]
    return core_schema.dataclass_schema(
        spec,
        core_schema.dataclass_args_schema(spec.__name__, arguments, extra_behavior="forbid"),
        names,
        post_init=True,
        frozen=True,
    )


def _field_schema(declared: Declared, default: Any, name: str) -> core_schema.CoreSchema:
    """Return the schema of one field: its words, its bounds, or anything; None if it may be."""
    schema: core_schema.CoreSchema
    if declared.registry is not None:
        schema = _registered(declared, name)
    elif declared.pattern:
        schema = _patterned(declared, name)
    elif declared.words is not None:
        schema = core_schema.literal_schema(list(declared.words))
    elif declared.kind == "number":
        schema = core_schema.float_schema(allow_inf_nan=False, **dict[str, Any](declared.bounds))
    elif declared.kind == "integer":
        schema = core_schema.int_schema(ge=int(declared.bounds["ge"]))
    else:
        schema = core_schema.any_schema()
    return core_schema.nullable_schema(schema) if default is None else schema


def _registered(declared: Declared, name: str) -> core_schema.CoreSchema:
    """Return the schema of a name of a registry."""

    def checked(word: str) -> str:
        try:
            return str(declared.check(word, name))
        except UnknownName as error:
            known = {"known": error.known}
            raise PydanticCustomError("unknown", "Input should be {known}", known) from None

    return core_schema.no_info_after_validator_function(
        checked,
        core_schema.str_schema(),
        metadata={"pydantic_js_updates": {"enum": list(declared.allowed)}},
    )


def _patterned(declared: Declared, name: str) -> core_schema.CoreSchema:
    """Return the schema of one of a few words, or any other that matches a pattern."""

    def checked(word: str) -> str:
        try:
            return str(declared.check(word, name))
        except InputError:
            known = {"known": declared.known}
            raise PydanticCustomError("unknown", "Input should be {known}", known) from None

    either = [{"enum": list(declared.allowed)}, {"type": "string", "pattern": declared.pattern}]
    return core_schema.no_info_after_validator_function(
        checked, core_schema.str_schema(), metadata={"pydantic_js_updates": {"anyOf": either}}
    )
