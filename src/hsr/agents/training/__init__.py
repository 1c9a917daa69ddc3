"""`train`: check arguments (api), prepare them (plan), run one seed (seed), collect the result
(run).
"""
