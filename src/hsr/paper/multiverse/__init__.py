"""What survives another reading: each claim under many ways to read the paper."""
