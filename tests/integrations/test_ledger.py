"""The ledger of a run: who closes a generation, and what survives a race."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from optuna.trial import TrialState

from janusopt.integrations.ledger import Entry, Ledger


@dataclass
class Trial:
    state: TrialState = TrialState.COMPLETE
    system_attrs: dict[str, Any] = field(default_factory=dict)

    def seated(self, generation, row):
        Ledger("p:").seat(self.system_attrs.__setitem__, generation, row)
        return self

    def opening(self, generation, entry):
        Ledger("p:").write(self.system_attrs.__setitem__, generation, entry)
        return self


def _read(trials):
    ledger = Ledger("p:")
    ledger.read(trials)
    return ledger


def test_an_entry_longer_than_an_attribute_comes_back_whole():
    entry = Entry(tuple(range(10_000, 11_000)), (1, 2, 3), 2**63)
    trial = Trial().opening(0, entry)
    assert max(len(value) for value in trial.system_attrs.values() if isinstance(value, str)) <= 2000
    assert _read([trial]).entries() == [entry]


def test_the_entry_of_the_lower_trial_counts_whenever_it_is_written():
    first, second = Entry((), (), 1), Entry((), (), 2)
    low, high = Trial(TrialState.RUNNING), Trial(TrialState.RUNNING).opening(0, second)
    ledger = _read([low, high])
    assert ledger.entries() == [second]
    ledger.read([low.opening(0, first), high])
    assert ledger.entries() == [first]


def test_an_entry_without_its_last_mark_is_not_read():
    trial = Trial().opening(0, Entry((), (), 1))
    del trial.system_attrs["p:opens"]
    assert _read([trial]).entries() == []


def test_entries_after_a_gap_wait():
    assert _read([Trial().opening(1, Entry((), (), 1))]).entries() == []


def test_a_generation_closes_with_each_rows_own_trial():
    trials = [Trial().seated(0, row) for row in (2, 0, 1)]
    assert _read(trials).closing(0, 3) == (1, 2, 0)
    assert _read(trials).closing(0, 4) is None


def test_a_finished_trial_stands_in_for_one_that_is_late():
    trials = [Trial(TrialState.RUNNING).seated(0, 0), Trial().seated(0, 1), Trial().seated(0, 2)]
    assert _read(trials).closing(0, 2) == (2, 1)


def test_a_row_taken_twice_is_told_once_and_stands_in_once():
    trials = [Trial().seated(0, 1), Trial().seated(0, 1), Trial(TrialState.RUNNING).seated(0, 0)]
    assert _read(trials).closing(0, 2) == (1, 0)


def test_rows_are_handed_out_from_the_first_free_one():
    assert _read([Trial().seated(0, 0), Trial().seated(0, 2)]).free_row(0) == 1
    assert _read([]).free_row(0) == 0


def test_failed_trials_are_finished_and_never_fill_the_window():
    ledger = _read([Trial(TrialState.FAIL), Trial(), Trial(TrialState.RUNNING), Trial().opening(0, Entry((1,), (), 1))])
    assert ledger.finished == {0, 1, 3}
    assert ledger.unlisted() == [3]
