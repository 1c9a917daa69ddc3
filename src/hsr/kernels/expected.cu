// Maps averaged over goals on a GPU. See hsr.kernels.expected for the formulas.
//
// Towards a goal every choice leads from one layer of equal distance to the next nearer one, so that
// the values of a layer follow from those of the layer before. There is one value for each state,
// its row M(s), and one for each option that is running in a state:
//
//     M(s)    = 1_s + sum_c mu(c | s) gamma next(c, s)
//     Z(o, s) = 1_s + gamma next(o, s)
//
// next(c, s) is the row of the next state, or Z there if option c does not stop on arrival.
// `plan_goals` writes this recipe for each goal, and `add_goals` computes 32 columns at a time.

struct World {  // as hsr.kernels.expected.GoalWorld
    const int* successor;
    const int* indptr;
    const int* indices;
    const int* move;
    const unsigned char* stop;
    const unsigned char* available;
    const double* draw;
    int n_states, n_actions, n_options, ties, twice;
    double gamma;
};

struct Plans {  // the goal is the first axis of each array
    int* distance;   // (S,) from each state to the goal
    int* order;      // (S,) the states, nearest first
    int* place;      // (S,) where in `order` a state is
    int* layer;      // (S + 1,) where in `order` each layer begins
    int* n_terms;    // (S,) the number of choices of each state of `order`
    int* terms;      // (S, A + O) what follows them, as a position in the layer before
    int* run_place;  // (O, S) where in `run_state` a running option is, or -1
    int* run_state;  // (O * S,) the states of running options, nearest first
    int* run_term;   // (O * S,) what follows them, as a position in the layer before
    int* run_layer;  // (S + 1,) where in `run_state` each layer begins
    int* depth;      // () the number of layers
};

#define TWICE (1 << 30)  // marks a term: the state where the option stops counts once more
#define FAR 2147483647

// Return what follows option o in state s, as a position in the layer before: first come the rows of
// its states, then its running options.
__device__ int after_option(const World& w, const Plans& p, size_t g, int o, int s, int before) {
    size_t n = w.n_states;
    const int* layer = p.layer + g * (n + 1);
    int u = w.move[o * n + s];
    if (p.distance[g * n + u] == 0 || w.stop[o * n + u])
        return (p.place[g * n + u] - layer[before]) | (w.twice ? TWICE : 0);
    int run = p.run_place[(g * w.n_options + o) * n + u] - p.run_layer[g * (n + 1) + before];
    return layer[before + 1] - layer[before] + run;
}

// Write the recipes of all goals, one block for each, and the most values that a layer has.
//
// 1. Options that follow a shortest way from each state of a layer until they stop.
// 2. The choices of each state, after ties.
// 3. The next layer: predecessors that have not been found yet.
extern "C" __global__ void plan_goals(World w, Plans p, const int* goals, int* widest) {
    __shared__ int tail, run_tail;
    size_t g = blockIdx.x, n = w.n_states;
    int* distance = p.distance + g * n;
    int* order = p.order + g * n;
    int* place = p.place + g * n;
    int* layer = p.layer + g * (n + 1);
    int* run_place = p.run_place + g * n * w.n_options;
    int* run_state = p.run_state + g * n * w.n_options;
    int* run_term = p.run_term + g * n * w.n_options;
    int* run_layer = p.run_layer + g * (n + 1);
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) distance[i] = -1;
    for (size_t i = threadIdx.x; i < n * w.n_options; i += blockDim.x) run_place[i] = -1;
    __syncthreads();
    if (threadIdx.x == 0) {
        distance[goals[g]] = 0, order[0] = goals[g], place[goals[g]] = 0;
        layer[0] = 0, run_layer[0] = 0, tail = 1, run_tail = 0;
    }
    __syncthreads();
    int first = 0, last = 1, most = 0, d = 0;
    while (first < last) {
        for (int i = first + threadIdx.x; i < last; i += blockDim.x) {
            int s = order[i], n_chosen = 0, from = 0;
            int* chosen = p.terms + (g * n + i) * (w.n_actions + w.n_options);
            for (int a = 0; a < w.n_actions && d; a++) {
                int u = w.successor[(size_t)s * w.n_actions + a];
                if (distance[u] == d - 1) chosen[n_chosen++] = place[u] - layer[d - 1];
            }
            int n_primitives = n_chosen;
            // 1. Options.
            for (int o = 0; o < w.n_options && d; o++) {
                int u = w.move[o * n + s];
                if (distance[u] != d - 1) continue;
                if (d > 1 && !w.stop[o * n + u] && run_place[o * n + u] < 0) continue;
                int term = after_option(w, p, g, o, s, d - 1);
                if (w.available[o * n + s]) chosen[n_chosen++] = term;
                if (w.stop[o * n + s]) continue;
                int at = atomicAdd(&run_tail, 1);
                run_place[o * n + s] = at, run_state[at] = s, run_term[at] = term;
            }
            // 2. Ties.
            if (w.ties == 1 && n_chosen > n_primitives) from = n_primitives;
            if (w.ties == 2) n_chosen = n_primitives;
            if (w.ties == 3 && d) from = (int)floor(w.draw[s] * n_chosen), n_chosen = from + 1;
            for (int c = from; c < n_chosen; c++) chosen[c - from] = chosen[c];
            p.n_terms[g * n + i] = n_chosen - from;
        }
        __syncthreads();
        // 3. The next layer.
        for (int i = first + threadIdx.x; i < last; i += blockDim.x)
            for (int e = w.indptr[order[i]]; e < w.indptr[order[i] + 1]; e++) {
                int j = w.indices[e];
                if (atomicCAS(&distance[j], -1, d + 1) != -1) continue;
                int at = atomicAdd(&tail, 1);
                order[at] = j, place[j] = at;
            }
        __syncthreads();
        most = max(most, last - first + run_tail - run_layer[d]);
        first = last, last = tail, d++;
        if (threadIdx.x == 0) layer[d] = first, run_layer[d] = run_tail;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        p.depth[g] = d;
        atomicMax(widest, most);
    }
}

// Add weight M_g of each goal to `total` (S, S), one goal and 32 columns per block at a time.
//
// 1. The live values of a layer, which are not zero in all 32 columns, found by one thread each.
// 2. Their sums, one warp for each.
// 3. If policies continue, what follows each goal, for `follows` (G, S).
//
// Each block has room for the values of two layers (2, widest, 32), for the list of live values
// (widest,) and for whether each is live (2, widest).
extern "C" __global__ void add_goals(World w, Plans p, const int* goals, const double* weight,
                                     int n_goals, int widest, double* all_values, int* all_lists,
                                     unsigned char* all_live, int continues, double* follows,
                                     double* total) {
    __shared__ int n_live[2];
    size_t n = w.n_states, n_blocks = (n + 31) / 32;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
    double* values = all_values + blockIdx.x * (size_t)64 * widest;
    int* list = all_lists + blockIdx.x * (size_t)widest;
    unsigned char* live = all_live + blockIdx.x * (size_t)2 * widest;
    for (size_t job = blockIdx.x; job < n_goals * n_blocks; job += gridDim.x) {
        size_t g = job / n_blocks;
        int block = job % n_blocks, column = block * 32 + lane;
        const int* order = p.order + g * n;
        const int* layer = p.layer + g * (n + 1);
        const int* run_state = p.run_state + g * n * w.n_options;
        const int* run_term = p.run_term + g * n * w.n_options;
        const int* run_layer = p.run_layer + g * (n + 1);
        int nearest = FAR, farthest = -1;
        if (column < n) nearest = farthest = p.distance[g * n + column];
        for (int k = 16; k; k /= 2) {
            nearest = min(nearest, __shfl_xor_sync(~0u, nearest, k));
            farthest = max(farthest, __shfl_xor_sync(~0u, farthest, k));
        }
        if (threadIdx.x == 0) n_live[0] = n_live[1] = 0;
        __syncthreads();
        for (int d = nearest, count = 1; d < p.depth[g] && (count || d <= farthest); d++) {
            int now = d & 1, before = !now, first = layer[d], n_rows = layer[d + 1] - first;
            int first_run = run_layer[d], n_values = n_rows + run_layer[d + 1] - first_run;
            const unsigned char* was_live = live + before * (size_t)widest;
            const double* former = values + before * (size_t)widest * 32 + lane;
            // 1. The live values.
            for (int i = threadIdx.x; i < n_values; i += blockDim.x) {
                bool runs = i >= n_rows;
                int at = runs ? first_run + i - n_rows : first + i;
                int n_terms = runs ? 1 : p.n_terms[g * n + at];
                const int* terms = runs ? run_term + at
                                        : p.terms + (g * n + at) * (w.n_actions + w.n_options);
                bool is_live = (runs ? run_state[at] : order[at]) / 32 == block;
                for (int t = 0; t < n_terms && d > nearest; t++)
                    is_live |= was_live[terms[t] & ~TWICE];
                live[now * (size_t)widest + i] = is_live;
                if (is_live) list[atomicAdd(&n_live[now], 1)] = i;
            }
            __syncthreads();
            count = n_live[now];
            if (threadIdx.x == 0) n_live[before] = 0;
            // 2. Their sums.
            for (int k = warp; k < count; k += n_warps) {
                int i = list[k];
                bool runs = i >= n_rows;
                int at = runs ? first_run + i - n_rows : first + i;
                int s = runs ? run_state[at] : order[at];
                int n_terms = runs ? 1 : p.n_terms[g * n + at];
                const int* terms = runs ? run_term + at
                                        : p.terms + (g * n + at) * (w.n_actions + w.n_options);
                double sum = 0.0;
                for (int t = 0; t < n_terms && d > nearest; t++) {
                    int position = terms[t] & ~TWICE;
                    if (!was_live[position]) continue;
                    sum += former[(size_t)32 * position];
                    if (terms[t] & TWICE) sum += order[layer[d - 1] + position] == column;
                }
                double value = (s == column) + (n_terms ? w.gamma / n_terms * sum : 0.0);
                values[(now * (size_t)widest + i) * 32 + lane] = value;
                if (runs || value == 0.0) continue;
                atomicAdd(&total[s * n + column], weight[g] * value);
                // 3. What follows the goal.
                for (int a = 0; a < w.n_actions && continues; a++) {
                    if (w.successor[(size_t)goals[g] * w.n_actions + a] != s) continue;
                    double share = 1.0 / w.n_actions;
                    if (w.ties == 3) share = a == (int)floor(w.draw[goals[g]] * w.n_actions);
                    atomicAdd(&follows[g * n + column], share * value);
                }
            }
            __syncthreads();
        }
    }
}
