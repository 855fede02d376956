"""The commands that run and read journals, one a file; each adds its own parser."""
