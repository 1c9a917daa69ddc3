"""What runs write and analyses read, and nothing else: records, a crash-safe store, and tables.

- `Record` is one finished run: experiment, setting, seed, arrays; `run_key` names it before it is
  run.
- `Store` keeps records in a folder, one checksummed file each; `verify` gives a `Fault`, `index` an
  `Entry` per run.
- `StoreError` says which folder or file cannot be read or written, and why.
- `ResultTable` holds the runs of one experiment in one order, for analyses.
- `compact` writes a whole store as one Parquet file with a manifest; `provenance` is what the
  manifest says of the machine.
"""

from hsr.paper.store.compaction import compact, provenance
from hsr.paper.store.index import Entry
from hsr.paper.store.record import Record, canonical, run_key, run_keys
from hsr.paper.store.run_file import StoreError
from hsr.paper.store.store import Fault, Store
from hsr.paper.store.table import ResultTable

__all__ = [
    "Entry",
    "Fault",
    "Record",
    "ResultTable",
    "Store",
    "StoreError",
    "canonical",
    "compact",
    "provenance",
    "run_key",
    "run_keys",
]
