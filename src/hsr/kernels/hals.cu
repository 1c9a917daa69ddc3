// One sweep of hierarchical alternating least squares on a GPU. See hsr.kernels.hals for the
// formulas.

// Update every component of `V` (K, n_samples) once, in place, with one thread per sample, and write
// the sum of projected gradients of each sample. K is a multiple of 4.
extern "C" __global__ void sweep(double* V, const double* C, const double* G, double* violation,
                                 int n_components, int n_samples) {
    size_t n = n_samples, j = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (j >= n) return;
    double total = 0.0;
    for (size_t t = 0; t < n_components; t++) {
        const double* row = G + t * n_components;
        double g_0 = 0.0, g_1 = 0.0, g_2 = 0.0, g_3 = 0.0;
        for (size_t r = 0; r < n_components; r += 4) {
            g_0 += row[r] * V[r * n + j];
            g_1 += row[r + 1] * V[(r + 1) * n + j];
            g_2 += row[r + 2] * V[(r + 2) * n + j];
            g_3 += row[r + 3] * V[(r + 3) * n + j];
        }
        double g = (g_0 + g_1) + (g_2 + g_3) - C[t * n + j], v = V[t * n + j];
        total += fabs(v == 0.0 ? fmin(g, 0.0) : g);
        if (row[t] != 0.0) V[t * n + j] = fmax(v - g / row[t], 0.0);
    }
    violation[j] = total;
}
