"""The version, for reports."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("sherloc")
except PackageNotFoundError:
    __version__ = "0.0.0+unknown"
