"""The door of the lab: from a text frame to a request, or to one sentence that says why it is none."""

import json
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from hsr._base.errors import InputError
from hsr.lab import limits
from hsr.lab.requests import LARGEST_ID, REQUESTS, AnyRequest

_READER: TypeAdapter[AnyRequest] = TypeAdapter(Annotated[AnyRequest, Field(discriminator="do")])


class RefusedRequest(InputError):
    """A frame that is no request; `id` is its number, if it had one."""

    def __init__(self, sentence: str, id: int | None = None) -> None:
        super().__init__(sentence)
        self.id = id


def read_request(text: str) -> AnyRequest:
    """Return the request that a text frame holds, or raise `RefusedRequest`.

    Examples
    --------
    >>> read_request('{"id": 1, "do": "maze", "size": 21}').size
    21
    >>> read_request('{"id": 1, "do": "maze", "size": 2}')
    Traceback (most recent call last):
    hsr.lab.messages.RefusedRequest: size is 2; input should be greater than or equal to 5
    """
    if len(text) > limits.FRAME_BYTES:
        raise RefusedRequest(
            f"the frame has {len(text):,} characters; at most {limits.FRAME_BYTES:,} are read"
        )
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedRequest("the frame is not JSON; expected an object with id and do") from None
    if not isinstance(data, dict):
        raise RefusedRequest(
            f"the frame is a JSON {_kind(data)}; expected an object with id and do"
        )
    number = data.get("id")
    known = (
        number
        if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= LARGEST_ID
        else None
    )
    try:
        return _READER.validate_json(text)
    except ValidationError as error:
        raise RefusedRequest(in_words(error), known) from None


def in_words(error: ValidationError) -> str:
    """Return the first thing wrong as one sentence: where, what came, what was expected."""
    first = error.errors(include_url=False, include_context=False)[0]
    where = [str(part) for part in first["loc"]]
    # the first part is the name of the request, which the page knows
    place = ".".join(where[1:] if where and where[0] in REQUESTS else where) or "the request"
    message = first["msg"][:1].lower() + first["msg"][1:]
    if first["type"] == "missing":
        return f"{place} is missing; it must be there"
    return f"{place} is {first['input']!a:.60}; {message:.200}"


def _kind(data: Any) -> str:
    return {list: "array", str: "string", type(None): "null", bool: "boolean"}.get(
        type(data), "number"
    )
