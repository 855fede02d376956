"""The report of a campaign: statistics, Markdown tables and one HTML page. Reads what is stored, runs nothing."""
