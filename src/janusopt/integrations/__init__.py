"""JANUS inside frameworks that own the loop: one file a framework, and what such files share."""
