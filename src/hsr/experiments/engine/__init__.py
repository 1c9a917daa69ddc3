"""Many runs into one store, in this process or with Dask, safe against kills and crashes.

- `Job`: a function, a setting and seeds.
- `run`: run jobs and return a `Summary`, which has every `Failure`.

One worker runs in this process. Several are processes of a Dask cluster, which `run` starts and
ends, or of one that is running already. All of them give the same store. Only the process that
calls `run` writes into it.
"""

from hsr.experiments.engine.job import Job
from hsr.experiments.engine.running import Failure, Summary, run

__all__ = ["Failure", "Job", "Summary", "run"]
