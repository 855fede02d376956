"""The workers of a Dask cluster, by its address. The one file that imports distributed."""

from __future__ import annotations

from concurrent.futures import Executor, Future

from janusopt.bench.job import Job, execute
from janusopt.bench.record import Record
from janusopt.errors import InputError
from janusopt.extras import require


class DaskCrew:
    """Every thread of every worker takes one run; workers may come and go. Start them with ``--nthreads 1``.

    Dask itself starts a run again whose worker was lost. ``pure=False``: each run is its own, never one from a cache.
    """

    def __init__(self, address: str) -> None:
        require("distributed", extra="dask", purpose="--dask")
        from distributed import Client

        try:
            self._client = Client(address)
        except (OSError, ValueError) as error:
            raise InputError(f"no Dask scheduler answers at {address!r} (expected tcp://HOST:PORT): {error}") from None
        self._executor: Executor = self._client.get_executor(pure=False)

    @property
    def size(self) -> int:
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, job: Job) -> Future[Record]:
        return self._executor.submit(execute, job)

    def settle(self, future: Future[Record]) -> None:
        pass

    def close(self) -> None:
        self._executor.shutdown()
        self._client.close()
