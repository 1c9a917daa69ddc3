"""All methods of the benchmark."""

from hsr.deep.benchmark import heads, laplacian, oracles

METHODS = (oracles.SR, oracles.HSR, heads.SR, heads.LOG_SR, heads.HSR, laplacian.METHOD)
