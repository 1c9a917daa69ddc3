"""Many runs into one store, on this machine or on a cluster, whatever dies on the way.

- `Job` names a function, a setting and seeds.
- `run` runs jobs and returns a `Summary`; `Event` tells a listener what happens, `Failure` what
  went wrong.
- `check_options` refuses what `run` would refuse, when there is no store yet.
- `estimate` counts the runs that are to be done and those that are there.
- `Engine` is what an engine is, for those who write one as a plugin; `Task`, `Tally`, `perform` and
  `records_of` are its tools.

**Which engine should I use?** The local one, unless a Dask cluster is running already. Both give
the same store. The local engine keeps each run as it ends; a cluster sends the records of a job
back together, so give it jobs of a few minutes. Its workers must have the version of hsr that the
caller has; others are refused.
"""

from hsr.paper.engine.job import Job
from hsr.paper.engine.performing import perform
from hsr.paper.engine.plan import Task, estimate
from hsr.paper.engine.running import Engine, Summary, check_options, run
from hsr.paper.engine.tally import Event, Failure, Tally
from hsr.paper.engine.work import records_of

__all__ = [
    "Engine",
    "Event",
    "Failure",
    "Job",
    "Summary",
    "Tally",
    "Task",
    "check_options",
    "estimate",
    "perform",
    "records_of",
    "run",
]
