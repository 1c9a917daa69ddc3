"""`explore`: check arguments (api), prepare them (plan), run a seed (seed), keep results (run)."""
