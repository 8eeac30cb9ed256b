"""Benchmarks: measures and runs."""
