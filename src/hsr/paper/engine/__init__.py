"""Many runs into one store, on this machine or on a cluster, safe against kills and crashes.

- `Job`: a function, a setting and seeds. `estimate` counts the runs that are missing in a store.
- `run`: run jobs and return a `Summary`. Each `Event` is passed to a listener, and each `Failure`
  is in the summary. `check_options` checks the options of `run` before there is a store.
- `Engine`: the interface of an engine. `Task`, `Progress`,
  `run_task` and `records_of` are its tools.

**Which engine should I use?** The local one, unless a Dask cluster is running already. Both give
the same store. The local engine stores each run as soon as it ends. A cluster sends the records of
a job back together, so give it jobs of a few minutes. Its workers must have the same version and
the same sources of hsr as the caller.
"""

from hsr.paper.engine.job import Job, Task, estimate
from hsr.paper.engine.progress import Event, Failure, Progress
from hsr.paper.engine.running import Engine, Summary, check_options, run
from hsr.paper.engine.work import records_of, run_task

__all__ = [
    "Engine",
    "Event",
    "Failure",
    "Job",
    "Progress",
    "Summary",
    "Task",
    "check_options",
    "estimate",
    "records_of",
    "run",
    "run_task",
]
