"""Tables of stored runs, for pandas, xarray and any program that reads CSV or Parquet.

- `Results`: the runs of a store, or some of them. `hsr.paper.load` makes it. It is written as a
  table (`Results.to_pandas`, `Results.to_arrow`, `Results.save`) or as arrays with named axes
  (`Results.to_xarray`).
"""

from hsr.paper.tables.results import FORMATS, Results

__all__ = ["FORMATS", "Results"]
