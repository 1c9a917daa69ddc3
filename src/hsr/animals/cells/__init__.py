"""Models of place fields compared with cells."""
