"""A window on the screen that shows pictures, with pygame (the extra ``window``)."""

from typing import Any

from hsr._base.extras import needs


class GridWindow:
    """A window that opens with the first picture and shows each new one in its place.

    Parameters
    ----------
    title : str
        The title of the window.
    per_second : int
        The number of pictures per second.
    """

    def __init__(self, title: str, per_second: int) -> None:
        needs("window", "render_mode='human'")
        import pygame

        self._pygame: Any = pygame
        self._title = title
        self._per_second = per_second
        self._is_open = False

    def show(self, pixels: Any) -> None:
        """Show a picture of shape (height, width, 3), and wait until the next one is due."""
        pygame = self._pygame
        size = (pixels.shape[1], pixels.shape[0])
        # pygame has one window; that of another environment may have taken its place, or closed it.
        surface = pygame.display.get_surface() if pygame.display.get_init() else None
        if not self._is_open or surface is None or surface.get_size() != size:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            surface = pygame.display.set_mode(size)
            self._clock, self._is_open = pygame.time.Clock(), True
        pygame.surfarray.blit_array(surface, pixels.swapaxes(0, 1))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._per_second)

    def close(self) -> None:
        """Close the window, if there is one. The next picture opens another."""
        if self._is_open:
            self._pygame.display.quit()
            self._is_open = False
