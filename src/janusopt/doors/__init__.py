"""Front doors: minimize, least_squares, minimize_multi."""
