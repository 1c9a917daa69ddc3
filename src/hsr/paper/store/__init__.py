"""Results of runs: records, a crash-safe store, and tables for analyses.

- `Record`: one finished run with experiment, setting, seed and arrays. `run_key` and `run_keys`
  name a run before it is done, and `canonical` writes a setting in one form.
- `Store`: records in a folder, one checksummed file each. `Store.verify` returns each `Fault`,
  `Store.index` an `Entry` per run. A `StoreError` says which file cannot be read or written.
- `ResultTable`: the runs of one experiment in one order.
- `made_by` names the version and the sources of this process, `source_hash` only the sources.
  `Store.makers` counts the runs that each code made.
- `provenance` describes the machine and the versions, for reports and tables.
"""

from hsr.paper.store.index import Entry
from hsr.paper.store.manifest import provenance
from hsr.paper.store.record import Record, canonical, run_key, run_keys
from hsr.paper.store.run_file import StoreError
from hsr.paper.store.sources import made_by, source_hash, whole_hash
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
    "made_by",
    "provenance",
    "run_key",
    "run_keys",
    "source_hash",
    "whole_hash",
]
