"""Options found online: what an agent knows (experience), how options are found in it (methods),
and which of them are kept (finder).
"""
