"""The lab: a page for the browser that computes by itself.

- `hsr.lab.page` builds the page from `web/` with the declarations of the library, and writes a maze
  and maps into it.
- `hsr.lab.widget` shows the same page in a notebook.

The page computes what it shows in TypeScript. Tests compare its numbers with those of the library.
"""
