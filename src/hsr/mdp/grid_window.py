"""A window on the screen that shows pictures, by pygame (the extra ``hsr-rl[window]``)."""

from typing import Any

from hsr._base.errors import InputError


class GridWindow:
    """Opens at the first picture, shows each new one in its place, and keeps to a number of pictures per second."""

    def __init__(self, title: str, per_second: int) -> None:
        try:
            import pygame
        except ImportError:
            raise InputError(
                "render_mode='human' needs pygame, which is not installed: pip install \"hsr-rl[window]\""
            ) from None
        self._pygame: Any = pygame
        self._title = title
        self._per_second = per_second
        self._surface: Any = None

    def show(self, pixels: Any) -> None:
        """Show a picture of shape (height, width, 3), and wait until the next one is due."""
        pygame = self._pygame
        if self._surface is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._surface = pygame.display.set_mode((pixels.shape[1], pixels.shape[0]))
            self._clock = pygame.time.Clock()
        pygame.surfarray.blit_array(self._surface, pixels.swapaxes(0, 1))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._per_second)

    def close(self) -> None:
        """Close the window, if there is one; the next picture opens another."""
        if self._surface is not None:
            self._pygame.display.quit()
            self._surface = None
