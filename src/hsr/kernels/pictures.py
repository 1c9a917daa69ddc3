"""Pictures of a grid for many states at once."""

from hsr._base.compiled import compiled


@compiled
def put_patches(background, first, which, patches, width, pictures):
    """Write copies of a background into `pictures`, each with one patch on it.

    All pixels are flat: `background` has shape (size,), with `width` entries per row, and
    `pictures` has shape (n, size). Picture i gets patch ``which[i]`` of `patches`, of shape (kinds,
    rows, entries per row), with its corner at the entry ``first[i]``.
    """
    for i in range(pictures.shape[0]):
        for k in range(background.size):
            pictures[i, k] = background[k]
        patch = which[i]
        for row in range(patches.shape[1]):
            start = first[i] + row * width
            for k in range(patches.shape[2]):
                pictures[i, start + k] = patches[patch, row, k]
