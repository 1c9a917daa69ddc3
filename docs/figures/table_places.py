"""Where a script writes its tables: between two comments of a page."""

import re


def with_tables(text: str, tables: dict[str, str], script: str) -> str:
    """Return a page with new tables.

    Parameters
    ----------
    text : str
        The page. A table NAME stands between ``<!-- NAME: written by SCRIPT -->`` and
        ``<!-- end of NAME -->``.
    tables : dict of str
        The tables as Markdown, by name.
    script : str
        Path of the script that writes them.
    """
    for name, table in tables.items():
        begin, end = f"<!-- {name}: written by {script} -->", f"<!-- end of {name} -->"
        text = re.sub(
            f"{re.escape(begin)}.*{re.escape(end)}",
            lambda _, new=f"{begin}\n\n{table}\n\n{end}": new,
            text,
            flags=re.DOTALL,
        )
    return text
