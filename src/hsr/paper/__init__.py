"""The paper's figures, one folder each."""
