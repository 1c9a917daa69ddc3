"""Speed as ratios: each module times `hsr` and another way to the same answer, in one run, on one
core.

`python -m benchmarks` runs every module that does not begin with an underscore. A module's function
`run(quick=False)` returns one row per comparison.
"""
