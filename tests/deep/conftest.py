"""Settings of JAX for tests: small computations, so that compiling takes longest."""

import jax

jax.config.update("jax_disable_most_optimizations", True)
