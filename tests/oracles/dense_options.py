"""Slow twins of options, planning and hierarchical maps, each written down from its definition.

Everything is dense and in the plainest form: `np.linalg.inv` for the kernels, an explicit chain
over (state, running choice) for the occupancy, Python loops for rollouts and for the learning
rules. Nothing here imports the code under test except to read the arrays of an `hsr.FiniteMDP` or
an `hsr.OptionSet`. `goal` is the state in which episodes end, a list of such states, or None.
"""

import numpy as np


def ends_at(goal):
    """Return the states in which episodes end, as a list."""
    return [] if goal is None else np.atleast_1d(goal).tolist()


def action_probabilities(mdp, options):
    """Return the options' policies as probabilities, of shape (O, S, A)."""
    if options.policy.ndim == 3:
        return np.array(options.policy)
    return np.eye(mdp.n_actions)[options.policy]


def arrays_of(mdp, options, goal):
    """Return transitions (S, A, S), the options' policies (O, S, A) and termination (O, S)."""
    return mdp.toarray(), action_probabilities(mdp, options), termination(options, goal)


def option_chain(transition, pi):
    """Return P[s, t] = sum_a pi(a | s) P(t | s, a) for a policy of shape (S, A)."""
    return np.einsum("sa,sat->st", pi, transition)


def termination(options, goal=None):
    """Return beta of shape (O, S), with 1 where episodes end."""
    beta = np.array(options.termination)
    beta[:, ends_at(goal)] = 1.0
    return beta


def kernels(P, beta, gamma):
    """Return N = (I - g P diag(1 - beta))^-1 and F = g N P diag(beta)."""
    N = np.linalg.inv(np.eye(len(P)) - gamma * P @ np.diag(1.0 - beta))
    return N, gamma * N @ P @ np.diag(beta)


def all_kernels(mdp, options, *, primitives=True, goal=None):
    """Return [(N, F)] of every choice, the primitive actions first."""
    gamma, (transition, pi, beta) = mdp.discount, arrays_of(mdp, options, goal)
    actions = range(mdp.n_actions if primitives else 0)
    return [(np.eye(mdp.n_states), gamma * transition[:, a]) for a in actions] + [
        kernels(option_chain(transition, pi[o]), beta[o], gamma) for o in range(len(options))
    ]


def bellman_parts(mdp, options, mu, *, primitives=True, goal=None, twice=False):
    """Return B = sum_o mu_o N_o and G = sum_o mu_o F_o; with `twice` options also count where they
    stop.
    """
    B, G = np.zeros((2, mdp.n_states, mdp.n_states))
    for c, (N, F) in enumerate(all_kernels(mdp, options, primitives=primitives, goal=goal)):
        is_option = c >= (mdp.n_actions if primitives else 0)
        B += mu[:, [c]] * (N + F if twice and is_option else N)
        G += mu[:, [c]] * F
    for s in ends_at(goal):
        B[s] = np.eye(mdp.n_states)[s]
        G[s] = 0.0
    return B, G


def dense_hsr(mdp, options, mu, **how):
    """Return M = (I - G)^-1 B."""
    B, G = bellman_parts(mdp, options, mu, **how)
    return np.linalg.inv(np.eye(mdp.n_states) - G) @ B


def flattened_occupancy(mdp, options, mu, *, primitives=True, goal=None):
    """Return M from the chain of pairs (state, choice that is running there), which knows no
    kernels.

    From (s, c) the next state t is drawn by the running choice; a primitive always, an option with
    probability beta(t), gives way to a choice drawn from mu(t). The discounted visits to pairs are
    summed over choices.
    """
    n, n_choices, gamma = mdp.n_states, mu.shape[1], mdp.discount
    n_primitives = mdp.n_actions if primitives else 0
    transition, pi, beta = arrays_of(mdp, options, goal)
    T = np.zeros((n, n_choices, n, n_choices))
    for s in range(n):
        if s in ends_at(goal):
            continue
        for c in range(n_choices):
            o = c - n_primitives
            arrive = transition[s, c] if o < 0 else pi[o, s] @ transition[s]
            for t in range(n):
                stops = 1.0 if o < 0 else beta[o, t]
                T[s, c, t] += arrive[t] * stops * mu[t]
                T[s, c, t, c] += arrive[t] * (1.0 - stops)
    pairs = np.linalg.inv(np.eye(n * n_choices) - gamma * T.reshape(n * n_choices, -1))
    visits = pairs.reshape(n, n_choices, n, n_choices).sum(axis=3)
    return np.einsum("sc,sct->st", mu, visits)


def dense_plan(mdp, options, goal, *, primitives=True):
    """Return (q (S, C), v (S,)) of the goal task by value iteration over all available choices; q
    is -inf elsewhere.

    q(s, o) = E[g^(T - 1) (1{end = goal} + g v(end))], with F = g N P diag(beta) without its last
    discount.
    """
    n, gamma = mdp.n_states, mdp.discount
    transition, pi, beta = arrays_of(mdp, options, goal)
    last = [transition[:, a] for a in range(mdp.n_actions)] if primitives else []
    for o in range(len(options)):
        P = option_chain(transition, pi[o])
        last.append(kernels(P, beta[o], gamma)[0] @ P @ np.diag(beta[o]))
    last = np.stack(last, axis=1)  # (S, C, S)
    everywhere = np.ones((mdp.n_actions if primitives else 0, n), dtype=bool)
    available = np.concatenate([everywhere, options.initiation]).T
    v, change = np.zeros(n), np.inf
    while change > 1e-16:
        q = last @ (np.eye(n)[goal] + gamma * v)
        q[goal] = 0.0
        new = np.where(available, q, 0.0).max(axis=1)
        v, change = new, np.abs(new - v).max()
    return np.where(available, q, -np.inf), v


def ascent_values(mdp, v, gamma):
    """Return q*(s, a) (S, A) of the pseudo-reward v(s') - v(s) where the agent may stop: V = max(0,
    max_a q).
    """
    transition = mdp.toarray()
    V, change = np.zeros(mdp.n_states), np.inf
    while change > 1e-15:
        q = transition @ (v + gamma * V) - v[:, None]
        new = np.maximum(q.max(axis=1), 0.0)
        V, change = new, np.abs(new - V).max()
    return q


def rollout(mdp, options, mu, start, rng, *, primitives=True, goal=None, horizon):
    """Return the discounted visits (S,) of one sampled trajectory, cut after `horizon` steps or at
    the goal.
    """
    n_primitives = mdp.n_actions if primitives else 0
    transition, pi, beta = arrays_of(mdp, options, goal)
    visits = np.zeros(mdp.n_states)
    s, running = start, None
    for t in range(horizon):
        visits[s] += mdp.discount**t
        if s in ends_at(goal):
            break
        if running is None:
            running = rng.choice(mu.shape[1], p=mu[s])
        o = running - n_primitives
        a = running if o < 0 else rng.choice(mdp.n_actions, p=pi[o, s])
        s = rng.choice(mdp.n_states, p=transition[s, a])
        if o < 0 or rng.random() < beta[o, s]:
            running = None
    return visits


def rollout_interval(mdp, options, mu, start, reward, rng, *, samples, z, **how):
    """Return (low, high), the normal interval of the mean discounted reward along rollouts from one
    start.
    """
    returns = np.array(
        [rollout(mdp, options, mu, start, rng, **how) @ reward for _ in range(samples)]
    )
    half = z * returns.std(ddof=1) / np.sqrt(samples)
    return returns.mean() - half, returns.mean() + half


def pick(rng, probabilities):
    """Return an index by one uniform number and the cumulative sums of the probabilities."""
    sums = np.cumsum(probabilities)
    return int(np.flatnonzero(sums > rng.random() * sums[-1])[0])


def next_state(rng, row):
    """Return a state drawn from a row of probabilities; a certain one needs no number."""
    possible = np.flatnonzero(row)
    return possible[0] if possible.size == 1 else possible[pick(rng, row[possible])]


def learn_sr_plainly(
    mdp, pi, rng, *, steps, learning_rate, decay=0.0, goal=None, restart=1000, features=None
):
    """Return M after Eq. 2, M(s) += a (1_s + g M(s') - M(s)), along one sampled walk from the
    identity. Features take the place of 1_s.
    """
    n, P = mdp.n_states, option_chain(mdp.toarray(), pi)
    phi = np.eye(n) if features is None else features
    M, visits = phi.copy(), np.zeros(n)
    s = rng.integers(0, n)
    for t in range(steps):
        alpha = learning_rate / (1.0 + decay * visits[s])
        visits[s] += 1
        if s in ends_at(goal):
            M[s] += alpha * (phi[s] - M[s])
            s = rng.integers(0, n)
            continue
        arrived = next_state(rng, P[s])
        M[s] = M[s] + alpha * (phi[s] + mdp.discount * M[arrived] - M[s])
        s = arrived
        if (t + 1) % restart == 0:
            s = rng.integers(0, n)
    return M


def learn_hsr_plainly(
    mdp,
    options,
    mu,
    rng,
    *,
    steps,
    learning_rate,
    primitives=True,
    decay=0.0,
    goal=None,
    restart=1000,
    features=None,
):
    """Return M after Eq. 8: each choice adds a (sum_k g^k 1_{s_k} + g^T M(s_T) - M(s)) to M(s).

    Features take the place of 1_s.
    """
    n, gamma = mdp.n_states, mdp.discount
    n_primitives = mdp.n_actions if primitives else 0
    transition, pi, beta = arrays_of(mdp, options, goal)
    phi = np.eye(n) if features is None else features
    M, visits = phi.copy(), np.zeros(n)
    s, taken, since = rng.integers(0, n), 0, 0
    while taken < steps:
        alpha = learning_rate / (1.0 + decay * visits[s])
        visits[s] += 1
        if s in ends_at(goal):
            M[s] += alpha * (phi[s] - M[s])
            s, taken = rng.integers(0, n), taken + 1
            continue
        c = pick(rng, mu[s])
        o, trail, u = c - n_primitives, [], s
        while True:
            trail.append(u)
            a = c if o < 0 else pick(rng, pi[o, u])
            u = next_state(rng, transition[u, a])
            taken, since = taken + 1, since + 1
            if o < 0 or beta[o, u] == 1.0 or (beta[o, u] > 0.0 and rng.random() < beta[o, u]):
                break
            if taken >= steps:
                return M
        visited = sum(gamma**k * phi[x] for k, x in enumerate(trail))
        target = visited + gamma ** len(trail) * M[u]
        M[s] = M[s] + alpha * (target - M[s])
        s = u
        if since >= restart:
            since, s = 0, rng.integers(0, n)
    return M


def flattened_value(mdp, options, mu, reward, **how):
    """Return the values (S,) of a policy over choices; see `flattened_choices`."""
    return (mu * flattened_choices(mdp, options, mu, reward, **how)).sum(axis=1)


def flattened_choices(mdp, options, mu, reward, *, primitives=True, goal=None):
    """Return the values (S, C) of all choices if a policy follows, from the chain of pairs (state,
    choice that is running there), which knows no kernels.

    `reward` has shape (S,), paid in the state that the agent is in and once at the end, (S, A) or
    (S, A, S), paid on the step.
    """
    n, n_choices, gamma = mdp.n_states, mu.shape[1], mdp.discount
    n_primitives = mdp.n_actions if primitives else 0
    transition, pi, beta = arrays_of(mdp, options, goal)
    ends, reward = ends_at(goal), np.asarray(reward)
    r, T = np.zeros((n, n_choices)), np.zeros((n, n_choices, n, n_choices))
    for s in range(n):
        for c in range(n_choices):
            o = c - n_primitives
            acts = np.eye(mdp.n_actions)[c] if o < 0 else pi[o, s]
            if reward.ndim == 1:
                r[s, c] = reward[s]
            if s in ends:
                continue
            if reward.ndim == 2:
                r[s, c] = acts @ reward[s]
            if reward.ndim == 3:
                r[s, c] = np.einsum("a,at,at->", acts, transition[s], reward[s])
            arrive = acts @ transition[s]
            for t in range(n):
                stops = 1.0 if o < 0 else beta[o, t]
                T[s, c, t] += arrive[t] * stops * mu[t]
                T[s, c, t, c] += arrive[t] * (1.0 - stops)
    size = n * n_choices
    q = np.linalg.solve(np.eye(size) - gamma * T.reshape(size, size), r.ravel())
    return q.reshape(n, n_choices)
