"""Results of runs: records, a store that survives kills, and tables for analyses.

- `Record`: one finished run with experiment, setting, seed and arrays. `run_key` names a run before
  it is done, and `canonical` writes a setting in one form.
- `Store`: records in one SQLite file, each with a checksum. A store also knows the settings whose
  runs were registered (`SettingRow`), and which runs these are (`RunOfSetting`). A `StoreError`
  says what cannot be read or written.
- `ResultTable`: the runs of one experiment in one order.
- `source_version` names the version and the sources of this process, `source_hash` only the
  sources, and `provenance` the machine and the versions too.
"""

from hsr.experiments.store.record import Record, StoreError, canonical, run_key
from hsr.experiments.store.rows import RunOfSetting, SettingRow
from hsr.experiments.store.sources import provenance, source_hash, source_version
from hsr.experiments.store.store import Store
from hsr.experiments.store.table import ResultTable

__all__ = [
    "Record",
    "ResultTable",
    "RunOfSetting",
    "SettingRow",
    "Store",
    "StoreError",
    "canonical",
    "provenance",
    "run_key",
    "source_hash",
    "source_version",
]
