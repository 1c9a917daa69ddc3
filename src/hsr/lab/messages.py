"""From a text frame to a request, or to one sentence that says why it is refused."""

import json
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from hsr import InputError
from hsr.lab import limits
from hsr.lab.requests import LARGEST_ID, REQUESTS, AnyRequest

_READER: TypeAdapter[AnyRequest] = TypeAdapter(Annotated[AnyRequest, Field(discriminator="do")])


class RefusedRequest(InputError):
    """A frame that is no request. `id` is its number, or None if it has no valid one."""

    def __init__(self, sentence: str, id: int | None = None) -> None:
        super().__init__(sentence)
        self.id = id


def read_request(text: str) -> AnyRequest:
    """Return the request in a text frame.

    Parameters
    ----------
    text : str
        A JSON object with `id` and `do`.

    Raises
    ------
    RefusedRequest
        If the text is too long, no JSON object, or does not match any request.

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
        return _READER.validate_json(text)
    except ValidationError as error:
        raise RefusedRequest(in_words(error), _id_in(text)) from None


def in_words(error: ValidationError) -> str:
    """Return the first fault as one sentence: where it is, what was given, what was expected."""
    first = error.errors(include_url=False, include_context=False)[0]
    if first["type"] == "json_invalid" or (
        not first["loc"] and not isinstance(first["input"], dict)
    ):
        return "the frame is no JSON object; expected one with id and do"
    where = [str(part) for part in first["loc"]]
    # the first part is the name of the request, which the page knows
    place = ".".join(where[1:] if where and where[0] in REQUESTS else where) or "the request"
    if first["type"] == "missing":
        return f"{place} is missing; it must be given"
    message = first["msg"][:1].lower() + first["msg"][1:]
    if first["type"] == "value_error":  # a check of the library: "value error, kind is 'x'; ..."
        message = message.partition("; ")[2] or message
    return f"{place} is {first['input']!a:.60}; {message:.200}"


def _id_in(text: str) -> int | None:
    """Return the number of a refused request, so that its reply can carry it."""
    try:
        number = json.loads(text)["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return number if type(number) is int and 0 <= number <= LARGEST_ID else None
