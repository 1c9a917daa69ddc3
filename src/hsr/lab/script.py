"""What a page shows, as a script that needs only `hsr` and prints the same numbers as JSON.

Maps are written anew from what was read, words come from fixed lists and numbers are written by
`repr`, so that nothing a page sends gets into a script as it came.
"""

from hsr import LayoutError
from hsr.grids import GridLayout
from hsr.lab import limits
from hsr.lab.requests import (
    Explorer,
    Learner,
    OptionsAsked,
    ShowBasis,
    ShowExplore,
    ShowRows,
    ShowTrain,
    World,
)
from hsr.lab.worlds import Scene, goals_of_every

Show = ShowRows | ShowBasis | ShowTrain | ShowExplore


def script_of(scene: Scene, world: World, show: Show) -> str:
    """Return the script for what is shown of a world."""
    lines = ["import json", ""]
    if _needs_numpy(world, show):
        lines += ["import numpy as np"]
    lines += ["import hsr", "", *_world_lines(scene, world)]
    if isinstance(show, ShowRows):
        lines += _map_lines(scene, world, ("sr", "hierarchical"))
        lines += [
            f'print(json.dumps({{"sr": sr.rows({show.state}).tolist(), "hsr": hierarchical.rows({show.state}).tolist()}}))'
        ]
    elif isinstance(show, ShowBasis):
        lines += _map_lines(scene, world, ("sr",) if show.which == "sr" else ("hierarchical",))
        lines += _basis_lines(show, ".toarray()" if world.task == "every" else "")
    elif isinstance(show, ShowTrain):
        lines += _train_lines(show)
    else:
        lines += _explore_lines(show)
    return "\n".join(lines) + "\n"


def _needs_numpy(world: World, show: Show) -> bool:
    return (
        isinstance(show, ShowExplore)
        or (isinstance(show, ShowBasis) and show.basis == "nmf")
        or world.options.kind == "none"
    )


def _world_lines(scene: Scene, world: World) -> list[str]:
    text, goals = _text_and_goals(scene)
    return [
        f'layout = hsr.GridLayout.from_text("""\\\n{text}\n""")',
        f"goals = {goals}",
        f"mdp = hsr.grid_mdp(layout, discount={world.discount!r})",
        f"options = {_options_code(world.options)}",
        "",
    ]


def _text_and_goals(scene: Scene) -> tuple[str, str]:
    """Return the map's text and the code that finds its goals; goals that a text cannot have are
    left out of it.
    """
    layout, goals = scene.layout, scene.goals
    if list(goals) == list(range(1, len(goals) + 1)):
        try:
            whole = GridLayout(layout.walls, layout.start, tuple(goals.values()))
            return whole.to_text(), "dict(enumerate(layout.goals, start=1))"
        except LayoutError:
            pass
    return (
        layout.to_text(),
        f"{{{', '.join(f'{i}: layout.state_at{layout.cell_of(goal)}' for i, goal in goals.items())}}}",
    )


def _options_code(options: OptionsAsked) -> str:
    if options.kind == "eigen":
        return f'hsr.eigenoptions(mdp, n_options={options.n}, signs="{options.signs}")'
    if options.kind == "covering":
        return f"hsr.covering_options(mdp, n_options={options.n})"
    if options.kind == "random":
        return f"hsr.random_options(mdp, n_options={options.n}, seed={options.seed})"
    nothing = "np.zeros((0, mdp.n_states), dtype=int)"
    return f"hsr.OptionSet(policy={nothing}, termination={nothing})"


def _map_lines(scene: Scene, world: World, names: tuple[str, ...]) -> list[str]:
    ties, stopping_state = world.reading.ties, world.reading.stopping_state
    if world.task == "walk":
        before = [
            "model = hsr.option_model(mdp, options)",
            "mu = hsr.uniform_choice(model)",
        ]
        sr = "hsr.successor_representation(mdp)"
        hierarchical = f'hsr.hierarchical_sr(model, mu, stopping_state="{stopping_state}")'
    elif world.task == "every":
        n_states = scene.layout.n_states
        before = ["tasks = hsr.goal_tasks(mdp)"]
        if n_states > limits.EVERY_GOAL_STATES:
            before = [
                f"tasks = [hsr.GoalTask(start=None, goal=goal) for goal in {goals_of_every(n_states)}]"
            ]
        sr = "hsr.expected_sr(mdp, tasks)"
        hierarchical = f'hsr.expected_hsr(mdp, options, tasks, ties="{ties}", stopping_state="{stopping_state}")'
    else:
        scene.goal(int(world.task))
        before = [
            f"task = hsr.GoalTask(start=None, goal=goals[{world.task}])",
            "model = hsr.option_model(mdp, options, task=task)",
            f'mu = hsr.plan_over_options(model, task, ties="{ties}")',
        ]
        sr = "hsr.successor_representation(mdp, hsr.greedy_policy(mdp, task), task=task)"
        hierarchical = f'hsr.hierarchical_sr(model, mu, stopping_state="{stopping_state}")'
    code = {"sr": sr, "hierarchical": hierarchical}
    return [*before, *(f"{name} = {code[name]}" for name in names), ""]


def _basis_lines(show: ShowBasis, written_out: str) -> list[str]:
    M = ("sr" if show.which == "sr" else "hierarchical") + written_out
    if show.basis == "svd":
        lines = [f"features = hsr.SVDBasis({show.n}).fit({M}).features_.T"]
    else:
        lines = [
            f"basis = hsr.NMFBasis({show.n}, max_iter={limits.NMF_ITERATIONS}).fit({M})",
            "strength = np.linalg.norm(basis.features_, axis=0) * np.linalg.norm(basis.components_, axis=1)",
            'features = basis.features_.T[np.argsort(-strength, kind="stable")]',
        ]
    return [*lines, 'print(json.dumps({"features": features.tolist()}))']


def _train_lines(show: ShowTrain) -> list[str]:
    return [
        "tasks = [hsr.GoalTask(start=layout.start, goal=goals[number]) for number in (1, 2)]",
        "distance = layout.distances_from(layout.start)",
        'shown = {"optimal": [int(distance[task.goal]) for task in tasks], "agents": []}',
        f"lengths = dict(episodes={show.episodes}, horizon={show.horizon})",
        "for agent, chosen in (",
        *(f"    ({_learner_code(agent)}, {_chosen(agent)})," for agent in show.agents),
        "):",
        f"    run = hsr.train(mdp, tasks, agent, chosen, seeds=[{show.seed}], **lengths)",
        '    shown["agents"].append({"steps": run.steps[0].tolist()})',
        "print(json.dumps(shown))",
    ]


def _explore_lines(show: ShowExplore) -> list[str]:
    return [
        f"times = np.rint(np.linspace(1, {show.steps}, {limits.COVERAGE_TIMES})).astype(int)",
        'shown = {"times": times.tolist(), "agents": []}',
        "for agent, chosen in (",
        *(f"    ({_explorer_code(agent)}, {_chosen(agent)})," for agent in show.agents),
        "):",
        f"    run = hsr.explore(mdp, agent, chosen, seeds=[{show.seed}], steps={show.steps}, start=layout.start)",
        "    coverage, first_visit = run.coverage[0, times - 1], run.first_visit[0]",
        '    shown["agents"].append({"coverage": coverage.tolist(), "first_visit": first_visit.tolist()})',
        "print(json.dumps(shown))",
    ]


def _learner_code(agent: Learner) -> str:
    return f'hsr.LinearQ("{agent.features}", learning_rate={agent.learning_rate!r}, epsilon={agent.epsilon!r})'


def _explorer_code(agent: Explorer) -> str:
    bonus = "None" if agent.bonus == "none" else f'"{agent.bonus}"'
    return f'hsr.Sarsa({bonus}, on="{agent.on}")'


def _chosen(agent: Learner | Explorer) -> str:
    return "options" if agent.options else "None"
