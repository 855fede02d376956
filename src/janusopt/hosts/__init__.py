"""Adapters: one file per optimizer, each behind the one :class:`~janusopt.hosts.base.Host` protocol."""
