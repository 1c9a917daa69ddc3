"""The lab: a page in the browser, and the server that answers it. No science of its own.

- `hsr.lab.requests` says what can be asked, `hsr.lab.messages` refuses everything else.
- `hsr.lab.answers` turns a request into arrays by calling the functions of `hsr`; `hsr.lab.worlds`
  makes what it needs once, `hsr.lab.runs` trains and explores, `hsr.lab.script` writes the same as
  a script.
- `hsr.lab.guard` decides who may ask, `hsr.lab.jobs` on which thread it is done,
  `hsr.lab.conversation` holds one socket's talk.
- `hsr.lab.server` puts it together; `hsr lab` starts it, `docs/lab.md` describes it.
- `hsr.lab.widget` shows a map in a notebook, and answers by the same functions.
"""
