"""How to load the pytest plugin where its entry point is not installed."""

from importlib.metadata import entry_points

PLUGIN = () if entry_points(group="pytest11", name="headproof-claims") else ("-p", "headproof.pytest_plugin")
