"""Builds the page of the lab before it is packed into a wheel or an sdist, where Node is there."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent


class PageOfTheLab(BuildHookInterface):
    """Runs `python -m hsr.lab.page` if the page is missing. An editable install builds it later."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, or warn that the package will not have it."""
        if version == "editable" or (ROOT / "src/hsr/lab/static/lab.html").exists():
            return
        done = subprocess.run(
            [sys.executable, "-m", "hsr.lab.page"],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            said = done.stderr.strip().splitlines()[-1:]
            self.app.display_warning(
                f"the package will not have the page of hsr lab; run `make lab-page` first. {said}"
            )
