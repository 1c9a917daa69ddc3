"""Figure S3: two goals in sequence in four other mazes. Does the result of the four rooms hold
there?
"""
