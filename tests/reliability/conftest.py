"""The real window, with its own loop."""

from tests.ui.window.conftest import run as run
from tests.ui.window.conftest import sit_down as sit_down
