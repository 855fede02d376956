"""The report of a plan with several objectives: fronts instead of errors."""
