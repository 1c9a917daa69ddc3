"""MiniGrid environments as finite MDPs: enumerate states, describe scenes, label both."""
