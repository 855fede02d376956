"""Measurements: campaigns against other methods, and what JANUS costs. Nothing in the library imports this."""
