"""Figure 1: predictive maps of the four rooms, the options behind them, and their parts."""
