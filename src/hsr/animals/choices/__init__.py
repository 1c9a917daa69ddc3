"""Recorded choices compared with what models predict."""
