"""What a page shows, as a script that needs only `hsr` and prints the same numbers as JSON.

Mazes are written from what was read, names come from registries, and everything else is written by
`repr`. No text of a page enters a script unread.
"""

from hsr import REPRESENTATIONS, GridLayout, LayoutError, MapSpec
from hsr.lab import limits
from hsr.lab.requests import (
    NO_OPTIONS,
    OF_THE_TASK,
    READINGS,
    Explorer,
    Learner,
    Options,
    ShowBasis,
    ShowExplore,
    ShowRows,
    ShowTrain,
    World,
    agent_of,
    basis_spec,
    explorer_of,
    online_of,
)
from hsr.lab.worlds import Scene, goals_of_every, map_spec
from hsr.toolkit import code_of

Show = ShowRows | ShowBasis | ShowTrain | ShowExplore


def script_of(scene: Scene, world: World, show: Show, n_options: int) -> str:
    """Return the script for what is shown of a world that has this many options."""
    lines = _world_lines(scene, world, n_options)
    if isinstance(show, ShowRows):
        lines += _rows_lines(scene, world, show)
    elif isinstance(show, ShowBasis):
        lines += _basis_lines(scene, world, show)
    elif isinstance(show, ShowTrain):
        lines += _train_lines(show)
    else:
        lines += _explore_lines(show)
    numpy = ["import numpy as np"] if any("np." in line for line in lines) else []
    return "\n".join(["import json", "", *numpy, "import hsr", "", *lines]) + "\n"


def _world_lines(scene: Scene, world: World, n_options: int) -> list[str]:
    text, goals = _text_and_goals(scene)
    return [
        f'layout = hsr.GridLayout.from_text("""\\\n{text}\n""")',
        f"goals = {goals}",
        f"mdp = hsr.grid_mdp(layout, discount={world.discount!r})",
        f"options = {_options_code(world.options, n_options)}",
        "",
    ]


def _text_and_goals(scene: Scene) -> tuple[str, str]:
    """Return the text of the maze, and the code that finds its goals.

    Goals that a text cannot have are not in the text; the code names their cells.
    """
    layout, goals = scene.layout, scene.goals
    if list(goals) == list(range(1, len(goals) + 1)):
        try:
            whole = GridLayout(layout.walls, layout.start, tuple(goals.values()))
            return whole.to_text(), "dict(enumerate(layout.goals, start=1))"
        except LayoutError:
            pass
    cells = (f"{i}: layout.state_at{layout.cell_of(goal)}" for i, goal in goals.items())
    return layout.to_text(), f"{{{', '.join(cells)}}}"


def _options_code(options: Options, n_options: int) -> str:
    if options.kind == NO_OPTIONS:
        nothing = "np.zeros((0, mdp.n_states), dtype=int)"
        return f"hsr.OptionSet(policy={nothing}, termination={nothing})"
    settings = "".join(f", {name}={value!r}" for name, value in options.settings.items())
    return f"hsr.make_options(mdp, {options.kind!r}, n_options={n_options}{settings})"


def _map_lines(scene: Scene, world: World, maps: dict[str, str]) -> list[str]:
    """Return the lines that make maps, given by the names of their variables."""
    specs = {variable: map_spec(world, which) for variable, which in maps.items()}
    lines = []
    if any(spec is not None and "tasks" in _reads(spec) for spec in specs.values()):
        lines += _tasks_lines(scene)
    if any(spec is None for spec in specs.values()):
        lines += _goal_lines(scene, world)
    for variable, spec in specs.items():
        if spec is not None:
            lines += [f"{variable} = {_map_code(spec)}"]
        elif maps[variable] == "sr":
            policy = "hsr.greedy_policy(mdp, task)"
            lines += [f"{variable} = hsr.successor_representation(mdp, {policy}, task=task)"]
        else:
            stopping_state = f"stopping_state={world.reading.stopping_state!r}"
            lines += [f"{variable} = hsr.hierarchical_sr(model, mu, {stopping_state})"]
    return [*lines, ""]


def _map_code(spec: MapSpec) -> str:
    if script := REPRESENTATIONS[spec.kind].script:
        return script
    given = {"tasks": "tasks", **{name: repr(getattr(spec, name)) for name in READINGS}}
    settings = "".join(f", {name}={given[name]}" for name in _reads(spec) if name in given)
    return f"hsr.make_representation(mdp, {spec.kind!r}, options{settings})"


def _reads(spec: MapSpec) -> tuple[str, ...]:
    return REPRESENTATIONS[spec.kind].settings


def _tasks_lines(scene: Scene) -> list[str]:
    n_states = scene.layout.n_states
    if n_states <= limits.EVERY_GOAL_STATES:
        return ["tasks = hsr.goal_tasks(mdp)"]
    goals = goals_of_every(n_states)
    return [f"tasks = [hsr.GoalTask(start=None, goal=goal) for goal in {goals}]"]


def _goal_lines(scene: Scene, world: World) -> list[str]:
    scene.goal(int(world.task))
    return [
        f"task = hsr.GoalTask(start=None, goal=goals[{world.task}])",
        "model = hsr.option_model(mdp, options, task=task)",
        f"mu = hsr.plan_over_options(model, task, ties={world.reading.ties!r})",
    ]


def _rows_lines(scene: Scene, world: World, show: ShowRows) -> list[str]:
    maps = {"sr": "sr", "hierarchical": "hsr"}
    rows = {"sr": f"sr.rows({show.state})", "hsr": f"hierarchical.rows({show.state})"}
    if show.which is not None:
        maps["other"] = show.which
        lazy = show.which in (*OF_THE_TASK, *REPRESENTATIONS.built_in)
        rows["other"] = f"other.rows({show.state})" if lazy else f"np.asarray(other)[{show.state}]"
    return [
        *_map_lines(scene, world, maps),
        f"rows = {{{', '.join(f'{name!r}: {row}' for name, row in rows.items())}}}",
        "print(json.dumps({name: row.tolist() for name, row in rows.items()}))",
    ]


def _basis_lines(scene: Scene, world: World, show: ShowBasis) -> list[str]:
    spec = basis_spec(show, show.basis)
    M = "np.asarray(M)" if world.task == "every" else "M"
    lines = [f"basis = {code_of(spec)}.estimator(mdp.n_states)"]
    if hasattr(spec.estimator(scene.layout.n_states), "max_iter"):
        lines += [f"basis.max_iter = {limits.NMF_ITERATIONS}"]
    return [
        *_map_lines(scene, world, {"M": show.which}),
        *lines,
        f"basis.fit({M})",
        "size = np.linalg.norm(basis.features_, axis=0)",
        "strength = np.float32(size * np.linalg.norm(basis.components_, axis=1))",
        f'strongest = np.argsort(-strength, kind="stable")[:{show.n}]',
        'print(json.dumps({"features": basis.features_.T[strongest].tolist()}))',
    ]


def _train_lines(show: ShowTrain) -> list[str]:
    several = f"range({show.seed}, {show.seed + show.n_seeds})"
    seeds = several if show.n_seeds > 1 else f"[{show.seed}]"
    return [
        "tasks = [hsr.GoalTask(start=layout.start, goal=goals[number]) for number in (1, 2)]",
        "distance = layout.distances_from(layout.start)",
        'shown = {"optimal": [int(distance[task.goal]) for task in tasks], "agents": []}',
        f"lengths = dict(episodes={show.episodes}, horizon={show.horizon})",
        "for agent, chosen in (",
        *(f"    ({code_of(agent_of(agent))}, {_chosen(agent)})," for agent in show.agents),
        "):",
        f"    run = hsr.train(mdp, tasks, agent, chosen, seeds={seeds}, **lengths)",
        '    steps = {"steps": run.steps[0].tolist(), "all_steps": run.steps.tolist()}',
        '    shown["agents"].append(steps)',
        "print(json.dumps(shown))",
    ]


def _explore_lines(show: ShowExplore) -> list[str]:
    return [
        f"times = np.rint(np.linspace(1, {show.steps}, {limits.COVERAGE_TIMES})).astype(int)",
        'shown = {"times": times.tolist(), "agents": []}',
        f"lengths = dict(seeds=[{show.seed}], steps={show.steps}, start=layout.start)",
        "for agent, chosen in (",
        *(f"    ({code_of(explorer_of(agent))}, {_chosen(agent)})," for agent in show.agents),
        "):",
        "    run = hsr.explore(mdp, agent, chosen, **lengths)",
        "    coverage, first_visit = run.coverage[0, times - 1], run.first_visit[0]",
        '    seen = {"coverage": coverage.tolist(), "first_visit": first_visit.tolist()}',
        '    shown["agents"].append(seen)',
        "print(json.dumps(shown))",
    ]


def _chosen(agent: Learner | Explorer) -> str:
    online = online_of(agent) if isinstance(agent, Explorer) else None
    if online is not None:
        return code_of(online)
    return "options" if agent.options else "None"
