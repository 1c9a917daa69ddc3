"""What survives another reading: every claim under every reasonable way to read the paper."""
