"""Random numbers of the grid environments: one stream per environment.

The stream is SplitMix64 [steele2014], a counter c in 0..2^64-1 and a scrambling of it:

    c <- c + 0x9E3779B97F4A7C15,    z = scramble(c),    u = floor(z / 2^11) / 2^53    in [0, 1)

It starts at ``scramble(seed)``. One number is drawn per start if the start is random, and one per
move if moves slip. The state of a stream is one integer, so that a thousand environments keep
theirs in one array and `hsr.kernels.grids` moves them all in a loop. With a
`numpy.random.Generator` per environment, the batch would be slow or differ from single
environments.
"""

_MASK = 2**64 - 1
_STRIDE = 0x9E3779B97F4A7C15


def stream_of(seed: int) -> int:
    """Return the start of a seed's stream. All bits of a seed beyond 64 bits count."""
    stream = scramble(seed & _MASK)
    while seed := seed >> 64:
        stream = scramble((stream + _STRIDE & _MASK) ^ (seed & _MASK))
    return stream


def option_stream_of(seed: int) -> int:
    """Return the start of the stream from which stochastic options draw.

    It differs from the stream of the environment that has the same seed.
    """
    return stream_of((seed << 64) + 1)


def draw(stream: int) -> tuple[int, float]:
    """Return the stream after one number has been drawn, and the number, in [0, 1).

    >>> stream, u = draw(stream_of(0))
    >>> round(u, 6)
    0.883311
    """
    stream = (stream + _STRIDE) & _MASK
    return stream, (scramble(stream) >> 11) * 2.0**-53


def scramble(z: int) -> int:
    """Return 64 bits that depend on all bits of z, one to one."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)
