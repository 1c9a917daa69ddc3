"""Request fields made from the declarations of the library, so that no word is written twice."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, create_model

from hsr.lab.replies import Setting
from hsr.toolkit import Declared, Registry, declarations, defaults

Name = Annotated[str, Field(max_length=200)]


def fields_of(base: type, spec: type, names: Iterable[str] | None = None) -> Any:
    """Return a model with the declared fields of a specification.

    Parameters
    ----------
    base : type
        The model that is extended.
    spec : type
        A specification, such as `hsr.LinearQ`.
    names : iterable of str, optional
        The fields to take; all by default.
    """
    declared, usual = declarations(spec), defaults(spec)
    fields: Any = {
        name: (_type(declared[name], name), usual[name])
        for name in (declared if names is None else names)
    }
    return create_model(f"{spec.__name__}Fields", __base__=base, **fields)


def setting_of(spec: type, name: str) -> Setting:
    """Return what a page must know to offer a field: its words or bounds, and its default."""
    declared = declarations(spec)[name]
    return Setting(
        description=declared.description,
        default=defaults(spec)[name],
        words=dict(declared.allowed) if declared.kind == "word" else None,
        low=declared.bounds.get("ge", declared.bounds.get("gt")),
        high=declared.bounds.get("le", declared.bounds.get("lt")),
    )


def registered(registry: Registry, argument: str, extra: Iterable[str] = ()) -> AfterValidator:
    """Return a check that a name is in a registry, or one of a few extra words."""
    words = tuple(extra)
    return AfterValidator(
        lambda name: name if name in words else registry.check(name, argument, extra=words)
    )


def settings_in(registry: Registry) -> dict[str, None]:
    """Return the settings that the entries of a registry read, in order."""
    return dict.fromkeys(name for kind in registry.built_in for name in registry[kind].settings)


def _type(declared: Declared, name: str) -> Any:
    if declared.registry is not None:
        return Annotated[Name, AfterValidator(lambda word: declared.check(word, name))]
    if declared.pattern:
        pattern = Annotated[str, Field(pattern=f"^(?:{declared.pattern})$", max_length=200)]
        return Literal[tuple(declared.words or ())] | pattern
    if declared.words is not None:
        return Literal[tuple(declared.words)]
    number, bounds = {"integer": int}.get(declared.kind, float), declared.bounds
    return Annotated[number, Field(**bounds)]  # type: ignore[call-overload]
