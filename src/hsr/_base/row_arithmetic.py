"""Row arithmetic that is as fast as the machine allows and gives the same bits everywhere.

    dot(X, i, Y, j)                      X[i] . Y[j]
    four_dots(X, i, j, k, l, Y, m)       X[i] . Y[m], ..., X[l] . Y[m], with Y[m] read once
    add_row(X, i, Y, j, a)               X[i] += a Y[j]
    add_row_then_dot(X, i, Y, j, a, k)   the same, and then X[i] . Y[k], with X[i] read once
    mix_row(X, i, j, g, a)               X[i] += a (g X[j] - X[i])
    mix_measured_row(X, i, j, g, a, Y, squares)
                                         the same, and Y[0] grows by what X[i] does, or by what its
                                         squares do

A sum in the order it is written takes one addition after another, so a processor that could add
eight numbers at once waits. Letting the compiler reorder it is fast, but then the last bits depend
on the processor. Here the order is part of the definition: entry i goes to lane i mod 8, each lane
adds up its products in turn, and the lanes are added in halves,

    8 lanes -> 4 -> 2 -> 1,

which is written out as vector instructions of eight numbers, because eight accumulators in plain
Numba are added one after another, four to twelve times slower. With ``NUMBA_DISABLE_JIT=1`` the
same order is followed in NumPy, bit for bit. Rows are named by their place in a contiguous
float64 matrix, because a kernel that makes a view of a row pays for counting its owners. Their
length must be a multiple of `LANES`: `aligned_rows` makes such matrices, with zeros at the end of
each row, which change no sum, and each row beginning where a cache line does.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.extending import intrinsic

from hsr._base.arrays import FloatArray
from hsr._base.compiled import inlined

LANES = 8
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_INTEGER = ir.IntType(64)


def padded(length: int) -> int:
    """Return the least multiple of `LANES` that is not less than `length`."""
    return -(-length // LANES) * LANES


def aligned_rows(n_rows: int, length: int) -> FloatArray:
    """Return zeros of shape (n_rows, padded(length))."""
    width = padded(length)
    memory = np.zeros(n_rows * width + LANES)
    first = -memory.ctypes.data % (8 * LANES) // 8
    return memory[first : first + n_rows * width].reshape(n_rows, width)


def _plain_dot(X: Any, i: int, Y: Any, j: int) -> float:
    lanes = np.zeros(LANES)
    for products in (X[i] * Y[j]).reshape(-1, LANES):
        lanes += products
    while lanes.size > 1:
        half = lanes.size // 2
        lanes = lanes[:half] + lanes[half:]
    return float(lanes[0])


def _plain_four_dots(X: Any, i: int, j: int, k: int, l: int, Y: Any, m: int) -> tuple[float, ...]:
    return tuple(_plain_dot(X, row, Y, m) for row in (i, j, k, l))


def _plain_add_row(X: Any, i: int, Y: Any, j: int, a: float) -> None:
    X[i] += a * Y[j]


def _plain_add_row_then_dot(X: Any, i: int, Y: Any, j: int, a: float, k: int) -> float:
    _plain_add_row(X, i, Y, j, a)
    return _plain_dot(X, i, Y, k)


def _plain_mix_row(X: Any, i: int, j: int, g: float, a: float) -> None:
    X[i] += a * (g * X[j] - X[i])


class _Row:
    """One row of a matrix, read and written eight numbers at a time by the code that `builder`
    writes.
    """

    def __init__(self, context: Any, builder: Any, kind: Any, matrix: Any, row: Any) -> None:
        array = context.make_array(kind)(context, builder, matrix)
        length = builder.extract_value(array.shape, 1)
        self.builder = builder
        self.n_vectors = builder.udiv(length, _INTEGER(LANES))
        self.start = builder.bitcast(
            builder.gep(array.data, [builder.mul(row, length)]), _VECTOR.as_pointer()
        )

    def load(self, index: Any) -> Any:
        return self.builder.load(self.builder.gep(self.start, [index]), align=8)

    def store(self, index: Any, vector: Any) -> None:
        self.builder.store(vector, self.builder.gep(self.start, [index]), align=8)


def _all_lanes(builder: Any, number: Any) -> Any:
    vector = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.IntType(32)(0))
    return builder.shuffle_vector(
        vector, vector, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    )


def _add_halves(builder: Any, lanes: Any) -> Any:
    for width in (4, 2, 1):
        places = [
            ir.Constant(ir.VectorType(ir.IntType(32), width), list(range(k, k + width)))
            for k in (0, width)
        ]
        low, high = (builder.shuffle_vector(lanes, lanes, place) for place in places)
        lanes = builder.fadd(low, high)
    return builder.extract_element(lanes, ir.IntType(32)(0))


def _emit_dots(builder: Any, rows: list[_Row], common: _Row) -> list[Any]:
    """Write the inner products of several rows with one, and return them."""
    sums = [cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES)) for _ in rows]
    with cgutils.for_range(builder, common.n_vectors) as loop:
        y = common.load(loop.index)
        for row, total in zip(rows, sums, strict=True):
            builder.store(
                builder.fadd(builder.load(total), builder.fmul(row.load(loop.index), y)), total
            )
    return [_add_halves(builder, builder.load(total)) for total in sums]


def _typed_dot(typing_context: Any, X: Any, i: Any, Y: Any, j: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = _Row(context, builder, signature.args[0], *arguments[:2])
        return _emit_dots(
            builder, [row], _Row(context, builder, signature.args[2], *arguments[2:])
        )[0]

    return types.float64(X, types.intp, Y, types.intp), emit


def _typed_four_dots(
    typing_context: Any, X: Any, i: Any, j: Any, k: Any, l: Any, Y: Any, m: Any
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        rows = [
            _Row(context, builder, signature.args[0], arguments[0], row) for row in arguments[1:5]
        ]
        products = _emit_dots(
            builder, rows, _Row(context, builder, signature.args[5], *arguments[5:])
        )
        return context.make_tuple(builder, signature.return_type, products)

    return types.UniTuple(types.float64, 4)(X, *[types.intp] * 4, Y, types.intp), emit  # type: ignore[attr-defined]


def _typed_add_row_then_dot(
    typing_context: Any, X: Any, i: Any, Y: Any, j: Any, a: Any, k: Any
) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x = _Row(context, builder, signature.args[0], *arguments[:2])
        y, z = (
            _Row(context, builder, signature.args[2], arguments[2], arguments[row])
            for row in (3, 5)
        )
        step = _all_lanes(builder, arguments[4])
        total = cgutils.alloca_once_value(builder, ir.Constant(_VECTOR, [0.0] * LANES))
        with cgutils.for_range(builder, x.n_vectors) as loop:
            ahead = z.load(loop.index)
            new = builder.fadd(x.load(loop.index), builder.fmul(step, y.load(loop.index)))
            x.store(loop.index, new)
            builder.store(builder.fadd(builder.load(total), builder.fmul(new, ahead)), total)
        return _add_halves(builder, builder.load(total))

    return types.float64(X, types.intp, Y, types.intp, types.float64, types.intp), emit


# These two are not plain loops, because the compiler would ask at every step whether the rows
# overlap, which costs agents that learn maps a tenth of their speed.
def _typed_add_row(typing_context: Any, X: Any, i: Any, Y: Any, j: Any, a: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        x = _Row(context, builder, signature.args[0], *arguments[:2])
        y = _Row(context, builder, signature.args[2], *arguments[2:4])
        step = _all_lanes(builder, arguments[4])
        with cgutils.for_range(builder, x.n_vectors) as loop:
            x.store(
                loop.index, builder.fadd(x.load(loop.index), builder.fmul(step, y.load(loop.index)))
            )
        return context.get_dummy_value()

    return types.void(X, types.intp, Y, types.intp, types.float64), emit


def _typed_mix_row(typing_context: Any, X: Any, i: Any, j: Any, g: Any, a: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        matrix, i, j, g, a = arguments
        x, ahead = (_Row(context, builder, signature.args[0], matrix, row) for row in (i, j))
        gain, step = _all_lanes(builder, g), _all_lanes(builder, a)
        with cgutils.for_range(builder, x.n_vectors) as loop:
            old = x.load(loop.index)
            error = builder.fsub(builder.fmul(gain, ahead.load(loop.index)), old)
            x.store(loop.index, builder.fadd(old, builder.fmul(step, error)))
        return context.get_dummy_value()

    return types.void(X, types.intp, types.intp, types.float64, types.float64), emit


def _compiled_or(plain: Callable[..., Any], typed: Callable[..., Any]) -> Callable[..., Any]:
    return plain if config.DISABLE_JIT else intrinsic(typed)


dot = _compiled_or(_plain_dot, _typed_dot)
four_dots = _compiled_or(_plain_four_dots, _typed_four_dots)
add_row = _compiled_or(_plain_add_row, _typed_add_row)
add_row_then_dot = _compiled_or(_plain_add_row_then_dot, _typed_add_row_then_dot)
mix_row = _compiled_or(_plain_mix_row, _typed_mix_row)


@inlined
def mix_measured_row(X: Any, i: int, j: int, g: float, a: float, Y: Any, squares: bool) -> None:
    # Two loops, because the compiler vectorises neither if the choice is made inside.
    if squares:
        for k in range(X.shape[1]):
            old = X[i, k]
            new = old + a * (g * X[j, k] - old)
            X[i, k] = new
            Y[0, k] += new * new - old * old
    else:
        for k in range(X.shape[1]):
            old = X[i, k]
            new = old + a * (g * X[j, k] - old)
            X[i, k] = new
            Y[0, k] += new - old
