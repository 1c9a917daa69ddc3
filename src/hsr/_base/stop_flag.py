"""Whether a loop is to stop: ``is_set(flag)`` reads a flag that another thread may set.

A compiler may move an ordinary load out of a loop that never stores there. An atomic load stays in
its place, and costs no more.
"""

from typing import Any

from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic


def _plain_is_set(flag: Any) -> bool:
    return bool(flag[0])


def _typed_is_set(typing_context: Any, flag: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        number = builder.load_atomic(array.data, "monotonic", 8)
        return builder.icmp_signed("!=", number, ir.Constant(number.type, 0))

    return types.boolean(flag), emit


is_set = _plain_is_set if config.DISABLE_JIT else intrinsic(_typed_is_set)
