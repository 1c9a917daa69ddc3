"""Figure 4: singular vectors and non-negative parts of two maps. Are the parts of the HSR sparse,
faithful and local?
"""
