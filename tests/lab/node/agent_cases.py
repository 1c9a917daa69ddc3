"""Agents of every kind that a page can ask for: the fields that differ from their defaults."""

LEARNERS = {
    "one-hot": {},
    "one-hot primal": {"form": "primal", "learning_rate": 0.3},
    "SR": {"features": "sr", "learning_rate": 0.1},
    "HSR": {"features": "hsr", "learning_rate": 0.1},
    "HSR from zero": {"features": "hsr", "initial_map": "zero", "map_learning_rate": 0.2},
    "HSR of passed states": {"features": "hsr", "map_update": "passed", "learning_rate": 0.05},
    "HSR inside options": {"features": "hsr", "map_update": "intra_option", "learning_rate": 0.05},
    "HSR inside options, first": {
        "features": "hsr", "map_update": "intra_option", "ties": "first", "update": "chosen",
        "initial_map": "zero", "map_learning_rate": 0.3, "epsilon": 0.5,
    },
    "fixed SR": {"features": "rw_sr", "learning_rate": 0.02},
    "fixed HSR, primal": {"features": "rw_hsr", "form": "primal", "learning_rate": 0.02},
    "expected SR": {"features": "esr", "learning_rate": 0.05},
    "expected HSR": {"features": "ehsr", "learning_rate": 0.05},
    "without options": {"features": "hsr", "learning_rate": 0.1, "options": False},
    "first of ties": {"ties": "first", "epsilon": 0.3, "learning_rate": 0.5},
    "primitives tried": {"explore_with": "primitives", "epsilon": 0.4},
    "interrupted": {"explore_at": "steps", "epsilon": 0.2, "features": "hsr"},
    "never exploring": {"epsilon": 0.0, "tie_tolerance": 1e-3, "learning_rate": 0.5},
    "chosen": {"update": "chosen", "learning_rate": 0.5},
    "primitives": {"update": "primitives", "features": "sr"},
    "intra-option": {"update": "intra_option", "learning_rate": 0.5},
    "intra-option on the HSR": {"update": "intra_option", "features": "hsr"},
    "running": {"update": "running", "learning_rate": 0.5},
    "running on the SR": {"update": "running", "features": "sr", "learning_rate": 0.1},
}  # fmt: skip
EXPLORERS = {
    "no bonus": {"bonus": "none"},
    "norm": {"bonus": "norm"},
    "norm of left": {"bonus": "norm", "norm_of": "left", "bonus_per": "choice"},
    "SPIE": {"bonus": "spie"},
    "SPIE from zero": {"bonus": "spie", "initial_map": "zero", "epsilon": 0.3},
    "SPIE by choice": {"bonus": "spie", "bonus_per": "choice", "bonus_weight": 0.3},
    "SPIE without squares": {"bonus": "spie_l1", "map_learning_rate": 0.3, "learning_rate": 0.2},
}
