"""The lab: a page in the browser, and the server that answers it.

All numbers come from functions of `hsr`; the lab computes nothing of its own.

- `hsr.lab.requests` and `hsr.lab.replies` define what is sent, `hsr.lab.messages` reads it, and
  `hsr.lab.declared` makes its fields from the declarations of the library. `hsr.lab.schema` writes
  the same types for the page.
- `hsr.lab.answers` computes the reply to each request. `hsr.lab.worlds` makes MDPs, options and
  maps once, `hsr.lab.runs` trains and explores, `hsr.lab.script` writes the same as a script.
- `hsr.lab.guard` decides who may ask, `hsr.lab.pools` on which thread a request is computed, and
  `hsr.lab.conversation` answers one socket.
- `hsr.lab.server` combines them. `hsr lab` starts it, and `docs/lab.md` describes it.
- `hsr.lab.widget` shows maps in a notebook, with the same requests and replies.
"""
