"""Agents of every kind that a page can ask for: the fields that differ from their defaults."""

LEARNERS = {
    "one-hot": {},
    "SR": {"features": "sr", "learning_rate": 0.1},
    "HSR": {"features": "hsr", "learning_rate": 0.1},
    "HSR that changes fast": {"features": "hsr", "map_learning_rate": 0.2, "epsilon": 0.5},
    "fixed SR": {"features": "rw_sr", "learning_rate": 0.02},
    "fixed HSR": {"features": "rw_hsr", "learning_rate": 0.02},
    "expected SR": {"features": "esr", "learning_rate": 0.05},
    "expected HSR": {"features": "ehsr", "learning_rate": 0.05},
    "without options": {"features": "hsr", "learning_rate": 0.1, "options": False},
    "never exploring": {"epsilon": 0.0, "tie_tolerance": 1e-3, "learning_rate": 0.5},
}
EXPLORERS = {
    "no bonus": {"bonus": "none"},
    "norm": {"bonus": "norm"},
    "SPIE": {"bonus": "spie"},
    "SPIE that explores": {"bonus": "spie", "bonus_weight": 0.3, "epsilon": 0.3},
    "SPIE without squares": {"bonus": "spie_l1", "map_learning_rate": 0.3, "learning_rate": 0.2},
}
