"""Speed as ratios: each module times `hsr` and another way to the same answer, in one run, on one
core.

`hsr bench` runs every module that does not begin with an underscore; `run(quick=False)` returns one
row per comparison.
"""
