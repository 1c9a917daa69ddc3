"""Compiled loops of `hsr.animals`: Poisson fits, shifted spikes, tracks, and destinations."""

import numpy as np

from hsr._base.compiled import compiled, lean
from hsr.kernels.acting import move, pick

_STEPS = 60
_EXACT = 1e-7
_SMALLEST = 1e-300  # smaller probabilities lose precision


@lean
def slope(counts, r, relative, k, w):
    """Return the derivative of L at w, and minus its second derivative."""
    first = 0.0
    second = 0.0
    for s in range(counts.shape[1]):
        if counts[r, s] > 0.0:
            part = relative[k, s] / (1.0 + w * relative[k, s])
            first += counts[r, s] * part
            second += counts[r, s] * part * part
    return first, second


@lean
def gain(counts, r, relative, k, w):
    """Return L(w) = sum_s n(s) log(1 + w d(s)), the log likelihood relative to a constant rate."""
    total = 0.0
    if w > 0.0:
        for s in range(counts.shape[1]):
            if counts[r, s] > 0.0:
                total += counts[r, s] * np.log1p(w * relative[k, s])
    return total


@lean
def best_weight(counts, r, relative, k, low, high, w, largest):
    """Return the weight in [low, high] at which L is largest, by Newton's steps from w.

    L is concave. The maximum must lie inside the bracket, or at an end that is 0 or `largest`.
    """
    if low == 0.0 and slope(counts, r, relative, k, 0.0)[0] <= 0.0:
        return 0.0
    if high == largest and slope(counts, r, relative, k, largest)[0] >= 0.0:
        return largest
    if not low < w < high:
        w = 0.5 * (low + high)
    for _ in range(_STEPS):
        first, second = slope(counts, r, relative, k, w)
        if first > 0.0:
            low = w
        else:
            high = w
        new = w + first / second
        if not low < new < high:
            new = 0.5 * (low + high)
        moved = abs(new - w)
        w = new
        if moved < _EXACT:
            break
    return w


@compiled
def fit_weights(
    counts, relative, values, weights, largest, coarse, starts, first, last, steps, chosen, weight
):
    """Write the best candidate field, and its weight, for each row of counts.

    For counts n (S,) and a field with relative values d, the log likelihood of the weight w is, up
    to a constant,

        L(w) = sum_s n(s) log(1 + w d(s)),    0 <= w <= largest weight of the row.

    1. values (W, R, .) holds L of all candidates of the coarse families at W weights. In
       each of these families the candidate with the largest value is fitted exactly.
    2. From the best two of them, climb along the chain of families that differ in one continuous
       setting, with the field of the same number, in steps that are halved. Take the better end.

    counts (R, S), relative (K, S) and largest (R,) are read. Family g has the candidates from
    starts[g] to starts[g + 1], and its chain the families from first[g] to last[g] - 1, of which
    every steps[g]-th is coarse. chosen (R,) and weight (R,) are written.
    """
    fields = np.zeros(coarse.size, dtype=np.int64)
    shares = np.zeros(coarse.size)
    gains = np.zeros(coarse.size)
    for r in range(counts.shape[0]):
        offset = 0
        for c in range(coarse.size):
            g = coarse[c]
            size = starts[g + 1] - starts[g]
            j = 0
            near = 0
            for i in range(values.shape[0]):
                for other in range(size):
                    if values[i, r, offset + other] > values[near, r, offset + j]:
                        j = other
                        near = i
            offset += size
            high = weights[near + 1] if near + 1 < weights.size else largest[r]
            high = min(high, largest[r])
            low = weights[near - 1] if near > 0 and weights[near - 1] < high else 0.0
            k = starts[g] + j
            w = best_weight(counts, r, relative, k, low, high, weights[near], largest[r])
            fields[c] = j
            shares[c] = w
            gains[c] = gain(counts, r, relative, k, w)
        best = -1.0
        for _ in range(min(2, coarse.size)):
            c = np.argmax(gains)
            reached = gains[c]
            gains[c] = -1.0
            family = coarse[c]
            w = shares[c]
            step = steps[family] // 2
            while step > 0:
                for side in (-step, step):
                    g = family + side
                    if first[family] <= g < last[family]:
                        k = starts[g] + fields[c]
                        new = best_weight(counts, r, relative, k, 0.0, largest[r], w, largest[r])
                        value = gain(counts, r, relative, k, new)
                        if value > reached:
                            reached = value
                            family = g
                            w = new
                step //= 2
            if reached > best:
                best = reached
                chosen[r] = starts[family] + fields[c]
                weight[r] = w


@compiled
def profile_weights(counts, relative, largest, weight, near, top):
    """Write the log likelihood of each row and candidate at its best weight, where it is near.

    counts (R, S), relative (K, S), largest (R,), weight (R, K), from which Newton's steps begin,
    and near (R, K) are read; top (R, K) is written where near is true.
    """
    for r in range(counts.shape[0]):
        for k in range(relative.shape[0]):
            if near[r, k]:
                w = best_weight(counts, r, relative, k, 0.0, largest[r], weight[r, k], largest[r])
                top[r, k] = gain(counts, r, relative, k, w)


@compiled
def held_out(counts, relative, excess, chosen, weight, rate, score):
    """Add the held-out log likelihood of each row's field, relative to a constant rate.

    With d the relative field, T the time in the held-out block and r the constant rate,

        sum_s n(s) log(1 + w d(s)) - r w sum_s T(s) d(s).

    counts (R, S), relative (K, S), excess (K,) = sum_s T(s) d(s), chosen (R,), weight (R,) and
    rate (R,) are read; score (R,) is added to.
    """
    for r in range(counts.shape[0]):
        k = chosen[r]
        w = weight[r]
        score[r] += gain(counts, r, relative, k, w) - rate[r] * w * excess[k]


@compiled
def count_shifted(cell, frame, number, key, shifts, counts):
    """Add spikes to counts (n, C, B * S), for circular shifts of all spikes by n numbers of frames.

    cell, frame and number (m,) hold the spikes, and key (F,) the place of each frame in the last
    axis of the counts.
    """
    for i in range(shifts.size):
        for e in range(cell.size):
            at = frame[e] + shifts[i]
            if at >= key.size:
                at -= key.size
            counts[i, cell[e], key[at]] += number[e]


@compiled
def match_path(path, begins, states, segments, frame):
    """Write the frame in which each state of a path is entered, -1 for interpolated states.

    path (n,) and begins (n,) hold the path, states (F,) and segments (F,) the frames that count.
    frame (n,) is written. An interpolated state never equals the next observed state.
    """
    f, segment = 0, -1
    for p in range(path.size):
        if begins[p]:
            segment += 1
            while f < states.size and segments[f] < segment:
                f += 1
        frame[p] = -1
        if f < states.size and segments[f] == segment and states[f] == path[p]:
            frame[p] = f
            f += 1
            stays = p + 1 < path.size and not begins[p + 1] and path[p + 1] == path[p]
            if not stays:
                while f < states.size and segments[f] == segment and states[f] == path[p]:
                    f += 1


@compiled
def walk(rng, policy, indptr, arrival, cumulative, start, states, actions):
    """Write a random walk of a policy.

    policy (S, A) holds the cumulative sums of each row; indptr, arrival and cumulative are the
    outcomes of actions. states (n,) and actions (n,) are written.
    """
    n_actions = policy.shape[1]
    flat = policy.ravel()
    s = start
    for i in range(states.size):
        a = pick(rng, flat, s * n_actions, (s + 1) * n_actions) - s * n_actions
        states[i] = s
        actions[i] = a
        s = move(rng, indptr, arrival, cumulative, s * n_actions + a)


@compiled
def filtered_log_likelihood(weight, factor, state, chosen, begins, hazard, place_of):
    """Return the log-probability of each move, given the moves before it, of shape (T,).

    A forward filter over destinations g. With q the probabilities of the destinations given the
    past, the move k has probability sum_g q(g) p(k | s, g). Bayes' rule then updates q. After the
    move, a new destination is drawn with probability `hazard`, and always on arrival. Draws are
    uniform over the destinations other than the present place.

    Parameters
    ----------
    weight : float array of shape (S, K, G)
        Weight of each possible move towards each destination, 0 where there is no such move.
    factor : float array of shape (T, K)
        Weight of each move at each time, independent of the destination.
    state, chosen : int arrays of shape (T,)
        The state before each move, and the move that was made.
    begins : bool array of shape (T,)
        Whether a path begins with this move.
    hazard : float
        Probability of a new destination after each move.
    place_of : int array of shape (S,)
        The number of each state among the destinations, -1 if it is none.
    """
    n_moves, n_places = weight.shape[1], weight.shape[2]
    q = np.empty(n_places)
    p = np.empty(n_places)
    result = np.empty(state.size)
    for t in range(state.size):
        s, k = state[t], chosen[t]
        here = place_of[s]
        n_other = n_places - 1 if here >= 0 and n_places > 1 else n_places
        if begins[t]:
            q[:] = 1.0 / n_other
            if n_other < n_places:
                q[here] = 0.0
        elif n_other < n_places:  # it arrived, so a new destination is drawn
            arrived = q[here] / n_other
            q += arrived
            q[here] = 0.0
        if not begins[t] and hazard > 0.0:
            drawn = hazard / n_other
            for g in range(n_places):
                q[g] = (1.0 - hazard) * q[g] + drawn
            if n_other < n_places:
                q[here] = 0.0
        total = 0.0
        for g in range(n_places):
            norm = 0.0
            for j in range(n_moves):
                norm += factor[t, j] * weight[s, j, g]
            p[g] = q[g] * factor[t, k] * weight[s, k, g] / norm
            total += p[g]
        total = max(total, _SMALLEST)
        result[t] = np.log(total)
        for g in range(n_places):
            q[g] = p[g] / total
    return result


@compiled
def follow_td(M, place, next_place, last, ahead, goal, discount, rate):
    """Return M[n, g] / M[g, g] of all neighbours n at each move, of shape (T, K), while M learns.

    M (P, P) is changed. After the move from s to s', M[s] += rate (e_s + discount M[s'] - M[s]).
    At the end of a path the same holds for s', followed by nothing.

    place, next_place (T,) are the places before and after each move, last (T,) marks the last moves
    of paths, ahead (T, K) has the places of neighbours, -1 for none, and goal (T,) the destination.
    """
    result = np.zeros(ahead.shape)
    for t in range(place.size):
        g = goal[t]
        s = place[t]
        n = next_place[t]
        for k in range(ahead.shape[1]):
            if ahead[t, k] >= 0:
                result[t, k] = M[ahead[t, k], g] / max(M[g, g], _SMALLEST)
        for j in range(M.shape[1]):
            M[s, j] += rate * (discount * M[n, j] - M[s, j])
        M[s, s] += rate
        if last[t]:
            for j in range(M.shape[1]):
                M[n, j] -= rate * M[n, j]
            M[n, n] += rate
    return result


@compiled
def logit_sums(X, allowed, chosen, w, gradient, curvature):
    """Return the log-likelihood of a conditional logit model, and write its derivatives.

    With p(k) = exp(w . x(k)) / sum_j exp(w . x(j)) over the allowed alternatives of each choice and
    the mean features m = sum_k p(k) x(k), the gradient is sum x(chosen) - m, and minus the Hessian
    sum p(k) (x(k) - m)(x(k) - m)^T.

    X (R, K, F), allowed (R, K), chosen (R,) and w (F,) are read; gradient (F,) and curvature (F, F)
    are written.
    """
    n_rows, n_moves, n = X.shape
    gradient[:] = 0.0
    curvature[:] = 0.0
    p = np.empty(n_moves)
    mean = np.empty(n)
    total = 0.0
    for r in range(n_rows):
        largest = -np.inf
        for k in range(n_moves):
            if allowed[r, k]:
                p[k] = 0.0
                for f in range(n):
                    p[k] += w[f] * X[r, k, f]
                largest = max(largest, p[k])
        of_chosen = p[chosen[r]] - largest
        norm = 0.0
        for k in range(n_moves):
            p[k] = np.exp(p[k] - largest) if allowed[r, k] else 0.0
            norm += p[k]
        total += of_chosen - np.log(norm)
        mean[:] = 0.0
        for k in range(n_moves):
            p[k] /= norm
            for f in range(n):
                mean[f] += p[k] * X[r, k, f]
        for f in range(n):
            gradient[f] += X[r, chosen[r], f] - mean[f]
        for k in range(n_moves):
            if p[k] > 0.0:
                for f in range(n):
                    of_move = p[k] * (X[r, k, f] - mean[f])
                    for g in range(f + 1):
                        curvature[f, g] += of_move * (X[r, k, g] - mean[g])
    for f in range(n):
        for g in range(f):
            curvature[g, f] = curvature[f, g]
    return total
