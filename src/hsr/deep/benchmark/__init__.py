"""Known answers: deep predictive maps compared with the exact ones."""
