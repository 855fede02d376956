"""Places in a command line."""

from __future__ import annotations

import pytest

from janusopt.errors import InputError
from janusopt.simulator.template import Template


def test_places_are_filled_inside_words_and_spaces_do_not_split_them():
    template = Template("./sim --a={a} '{out.json}' {{a}} \"two words\"", ["a"])
    assert template.words({"a": 1.5, "out.json": "/tmp/a b"}) == ["./sim", "--a=1.5", "/tmp/a b", "{a}", "two words"]


def test_nothing_of_a_value_reaches_a_shell():
    assert Template("echo {a}; rm $HOME", ["a"]).words({"a": "$(x)"}) == ["echo", "$(x);", "rm", "$HOME"]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("./sim {b} {a}", r"place \{b\} that is no parameter"),
        ("./sim {out.json}", "never sees parameter 'a'"),
        ("./sim '{a}", "cannot be split"),
        ("  ", "is empty"),
    ],
)
def test_a_wrong_command_is_told_in_words(command, told):
    with pytest.raises(InputError, match=told):
        Template(command, ["a"])


def test_a_program_that_is_not_there_is_told_before_anything_runs():
    with pytest.raises(InputError, match=r"no program '\./absent'"):
        Template("./absent {a}", ["a"]).require_program()
    Template("sh {a}", ["a"]).require_program()
