"""MiniGrid environments as finite MDPs: enumerate states, describe, label and draw scenes."""
