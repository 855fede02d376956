"""The mathematics: arrays in, arrays out. No host, no I/O, no random generator of its own."""
