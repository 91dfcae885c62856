"""The sandbox against Python: programs of a grammar give the same values in both, or are refused."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from econzoo.envs.families.open_source import Limits
from econzoo.envs.families.open_source.failures import Problem
from econzoo.envs.families.open_source.sandbox import Sandbox
from econzoo.envs.families.open_source.source import outline_of
from fuzz.safe_programs import safe_program
from games.program_matches import sandboxed

pytestmark = sandboxed

REFUSED, DIED = "refused", "died"
"""Declared failures: of a match, the second is that of an interpreter that died three times."""

LIMITS = {"max_feed_duration_secs": 5.0, "max_memory": Limits().memory, "max_recursion_depth": 200}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def in_python(source: str) -> str:
    """The value of the last line, or the name of the error; the grammar has nothing that reaches outside."""
    definitions, _, last = source.rpartition("\n")
    names: dict[str, Any] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(definitions, "program", "exec", dont_inherit=True), names)
            return repr(eval(last, names))
    except Exception as error:
        return REFUSED if isinstance(error, SyntaxError) else type(error).__name__


def in_sandbox(sandbox: Sandbox, source: str) -> str:
    from pydantic_monty import MontyCrashedError, MontyError

    outline = outline_of(source)
    if isinstance(outline, Problem) or outline.refusal:
        return REFUSED
    session = sandbox.session(limits=LIMITS)
    try:
        return repr(session.feed_run(source))
    except MontyCrashedError:
        return DIED
    except MontyError as error:
        kind = str(error).partition(":")[0]
        return REFUSED if kind in ("NotImplementedError", "MemoryError") or "Syntax" in type(error).__name__ else kind
    finally:
        session.__exit__(None, None, None)


def compare(sandbox: Sandbox, seeds: range, most: int = 0) -> Counter[str]:
    """Compare the programs of seeds, of which at most so many may differ; return how many did what."""
    counted: Counter[str] = Counter()
    for seed in seeds:
        source = safe_program(seed)
        expected, found = in_python(source), in_sandbox(sandbox, source)
        kind = found if found in (REFUSED, DIED) else "equal" if found == expected else "different"
        counted[kind] += 1
        assert counted["different"] <= most, f"seed {seed}: {found}, in Python {expected}\n{source}"
    return counted


def test_a_sample_gives_what_python_gives(sandbox: Sandbox) -> None:
    counted = compare(sandbox, range(300))
    assert counted["equal"] > 150, "most programs must run, or nothing is compared"


@pytest.mark.long
def test_a_hundred_thousand_give_what_python_gives(sandbox: Sandbox) -> None:
    # Lambdas in handlers sometimes lose a parameter of the function around: a NameError, never another value.
    counted = compare(sandbox, range(100_000), most=20)
    print(counted)  # for the page
    assert counted["equal"] > 50_000
    assert counted[DIED] < 100


DIFFERENCES = {
    "f'{[1]:>4}'": ("TypeError", "' [1]'"),
    "(lambda m: (m, m.append(2)))([1])[0] * 1": ("[1, 2]", "[1, 2]"),
    "(5).bit_length()": ("3", "AttributeError"),
    "{1: 'a', 1.0: 'c'}": ("{1: 'c'}", "{1.0: 'c'}"),
}
"""Expressions that docs/programs.md names, with their values in Python and in the sandbox."""

STATEMENTS = {
    "m = n = [1]; m *= 2": ("[1, 1]", "[1]"),
    "m = n = {1}; m |= {2}": ("{1, 2}", "{1}"),
    "n = [1]; n += (2,)": ("[1, 2]", "TypeError"),
}
"""The same of statements, by the value of n."""


def test_the_differences_on_the_page_are_those_that_there_are(sandbox: Sandbox) -> None:
    """With another release of the interpreter the page changes."""
    sources = {f"\n{one}": values for one, values in DIFFERENCES.items()}
    sources |= {f"{one}\nn": values for one, values in STATEMENTS.items()}
    for source, values in sources.items():
        assert (in_python(source), in_sandbox(sandbox, source)) == values, source
