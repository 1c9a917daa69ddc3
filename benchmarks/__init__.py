"""Compare the speed of `hsr` with other ways to the same answer, as ratios, on one core.

`python -m benchmarks` runs every module that does not begin with an underscore. A module's function
`run(quick=False)` returns one row per comparison.
"""
