"""Text and plain values of several processes in one memory, through Gymnasium's own functions."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import pytest
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory
from hypothesis import example, given, settings
from hypothesis import strategies as st

from econzoo.envs.core.faces import UnicodeText
from econzoo.envs.core.faces.spaces import NumberSpace, Slots, TupleSpace
from refusals import refuses

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=40)


@settings(max_examples=50)
@given(st.lists(ANYTHING, min_size=1, max_size=4))
@example(["\U0001f91d" * 40, "", "\n\x00\ud800", "\u05e9\u05dc\u05d5\u05dd"])
def test_every_text_is_read_as_it_was_written(texts: list[str]) -> None:
    space = UnicodeText(40)
    memory = create_shared_memory(space, n=len(texts))
    seen = read_from_shared_memory(space, memory, n=len(texts))  # once, as Gymnasium does
    for i, text in enumerate(texts):
        write_to_shared_memory(space, i, text, memory)
    assert copy.deepcopy(seen) == tuple(seen) == tuple(texts)
    write_to_shared_memory(space, 0, "new", memory)
    assert (seen[0], seen[-1]) == ("new", texts[-1] if len(texts) > 1 else "new")


def test_a_copy_keeps_what_was_written_then() -> None:
    slots = Slots(2, 64)
    assert copy.deepcopy({"text": slots}) == {"text": (None, None)}, "nothing is written yet"
    slots.write(0, "one")
    kept = copy.deepcopy(slots)
    slots.write(0, "two")
    assert (kept, slots[:1]) == (("one", None), ("two",))


def test_memory_that_was_used_before_holds_nothing() -> None:
    for _ in range(3):
        slots = Slots(3, 100)
        assert tuple(slots) == (None, None, None)
        for i in range(3):
            slots.write(i, "x" * 60)
        del slots


def test_what_has_no_room_is_refused_and_never_cut() -> None:
    slots = Slots(1, 64)
    slots.write(0, "short")
    with refuses(ValueError, 64, "AsyncVectorEnv(shared_memory=False)"):
        slots.write(0, "x" * 100)
    assert slots[0] == "short"


def test_plain_values_keep_their_type() -> None:
    moves = ({"kind": "C", "words": "x"},)
    for space, value in (
        (NumberSpace(), None),
        (NumberSpace(), (0.1, 1e300)),
        (NumberSpace(), True),
        (TupleSpace("moves"), moves),
    ):
        memory = create_shared_memory(space, n=1)
        write_to_shared_memory(space, 0, value, memory)
        [seen] = read_from_shared_memory(space, memory, n=1)
        assert (seen, type(seen)) == (value, type(value))


class Echo(gymnasium.Env[Any, Any]):
    """Shows the text that it is told."""

    observation_space = action_space = UnicodeText(100)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        return f"\u2013 {seed}\n", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@pytest.mark.parametrize("context", ["fork", pytest.param("spawn", marks=pytest.mark.long)])
def test_what_is_written_in_another_process_is_read_here(context: str) -> None:
    envs = gymnasium.vector.AsyncVectorEnv([Echo, Echo], context=context)
    try:
        assert envs.reset(seed=[3, 4])[0] == ("\u2013 3\n", "\u2013 4\n")
        for told in (("a", "\U0001f91d" * 100), ("", "b")):
            assert envs.step(told)[0] == told
    finally:
        envs.close()
