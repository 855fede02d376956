"""``janusopt report PLAN``: the page, the Markdown tables, and the main table in the terminal."""
