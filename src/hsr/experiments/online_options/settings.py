"""What is run for Figure 2i-l: three kinds of features, one agent that finds its options on the way, two goals in sequence."""

from hsr.experiments.transfer import Cell, Features, Options, Runs, TransferSetting, runs_of

NAME = "online_options"
WORK = "hsr.experiments.online_options.run:run"
AGENTS = {
    "one-hot": Features(kind="onehot"),
    "SR rows": Features(kind="sr"),
    "HSR rows": Features(kind="hsr"),
}


class OnlineOptionsTransfer(TransferSetting):
    """Settings of the experiment; `seeds` counts them from 0."""

    options: Options = Options(kind="online")


PRESETS = {
    "smoke": OnlineOptionsTransfer(seeds=4, episodes=15, horizon=1000),
    "paper": OnlineOptionsTransfer(),
}


def cells(setting: OnlineOptionsTransfer) -> dict[str, Cell]:
    """Return the cell of each agent, by the name under which it is drawn."""
    return {name: setting.cell(features) for name, features in AGENTS.items()}


def runs(setting: OnlineOptionsTransfer) -> Runs:
    """Return what is to be run."""
    return runs_of(WORK, cells(setting).values(), setting.seeds)
