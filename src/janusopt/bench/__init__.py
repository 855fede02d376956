"""Measurements: what JANUS costs. Nothing in the library imports this."""
