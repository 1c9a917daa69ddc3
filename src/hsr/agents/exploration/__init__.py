"""`explore`: arguments (api), inputs shared by seeds (plan), a seed (seed), results (run)."""
