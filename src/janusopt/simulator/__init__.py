"""An external program as an objective: its parameters, and how it is run and read."""
