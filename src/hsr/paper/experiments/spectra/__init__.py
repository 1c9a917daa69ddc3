"""Figure S5: eigenvalues and NMF norms of three maps. Is the spectrum of the HSR heavier-tailed
than that of the SR?
"""
