"""What programs that evolve can say in the two base games: lists of rules "if this, play that"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from econzoo.baselines.programs.grammar import PROGRAM, Grammar, Production
from econzoo.envs.families.open_source import COIN_GAME, ENTRY, MATRIX, Interface

CONDITION, MOVE, LETTER, CELL, TEXT = "condition", "move", "letter", "cell", "text"
NUMBER, FEW_NUMBER, SHARE = "number", "few", "share"

MAX_NUMBERS = 40
"""Numbers of turns that a program can speak of; in longer games the first and the last ones."""

WORDS = ("simulate", "opponent_program_code ==", "syntax_tree", "random", "len(")
"""What a program can look for in the other one."""

RULES = (
    Production(PROGRAM, "    return {0}", (MOVE,)),
    Production(PROGRAM, "    if {0}:\n        return {1}\n{2}", (CONDITION, MOVE, PROGRAM)),
)

LOGIC = (
    Production(CONDITION, "not ({0})", (CONDITION,)),
    Production(CONDITION, "({0} and {1})", (CONDITION, CONDITION)),
    Production(CONDITION, "({0} or {1})", (CONDITION, CONDITION)),
)

TURNS = (
    Production(CONDITION, "len(my_history) >= {0}", (NUMBER,)),
    Production(CONDITION, "len(my_history) < {0}", (NUMBER,)),
)

READING = (
    Production(CONDITION, "opponent_program_code == my_program_code"),
    Production(CONDITION, "{0} in opponent_program_code", (TEXT,)),
    Production(CONDITION, "likeness(my_program_code, opponent_program_code) >= {0}", (SHARE,), ("likeness",)),
    *[Production(TEXT, repr(word)) for word in WORDS],
    *[Production(SHARE, f"{tenths / 10}") for tenths in range(1, 10)],
)

LIKENESS = '''
def likeness(first, second):
    """Share of the words of either source that both have."""
    one, two = set(re.findall(r"\\w+", first)), set(re.findall(r"\\w+", second))
    return len(one & two) / max(len(one | two), 1)
'''

# -- the iterated game of two moves ------------------------------------------------------------------------

_FORESEEN_CALL = "foreseen(my_history, opp_history, opponent_program_code)"

MATRIX_WORDS = (
    *[Production(LETTER, f'"{move}"') for move in MATRIX.moves],
    Production(MOVE, "{0}", (LETTER,)),
    Production(MOVE, "last(opp_history)", (), ("last",)),
    Production(MOVE, 'random.choice(["C", "D"])'),
    Production(CONDITION, "last(opp_history) == {0}", (LETTER,), ("last",)),
    Production(CONDITION, "last(my_history) == {0}", (LETTER,), ("last",)),
    Production(CONDITION, "{0} in opp_history", (LETTER,)),
    Production(CONDITION, "opp_history.count({0}) >= {1}", (LETTER, NUMBER)),
    Production(CONDITION, _FORESEEN_CALL + " == {0}", (LETTER,), ("foreseen",)),
)

MATRIX_HELPERS = {
    "likeness": LIKENESS,
    "last": '''
def last(history):
    """The last move; C before the first."""
    return history[-1] if history else "C"
''',
    "foreseen": '''
def foreseen(mine, others, source):
    """What the other would play now; empty where that cannot be found out."""
    try:
        return simulate(source, [list(pair) for pair in zip(mine, others)])
    except RuntimeError:
        return ""
''',
}

# -- the coin game -----------------------------------------------------------------------------------------

COIN_WORDS = (
    Production(CELL, "my_coin(state)", (), ("my_coin",)),
    Production(CELL, "their_coin(state)", (), ("their_coin",)),
    Production(MOVE, "towards({0}, state)", (CELL,), ("towards",)),
    Production(MOVE, "sparing({0}, state)", (CELL,), ("sparing",)),
    Production(MOVE, "random.choice(MOVES)"),
    Production(CONDITION, "my_steps({0}, state) <= {1}", (CELL, FEW_NUMBER), ("my_steps",)),
    Production(CONDITION, "their_steps({0}, state) <= {1}", (CELL, FEW_NUMBER), ("their_steps",)),
    Production(CONDITION, "my_steps({0}, state) <= my_steps({1}, state)", (CELL, CELL), ("my_steps",)),
    Production(CONDITION, "my_steps({0}, state) <= their_steps({0}, state)", (CELL,), ("my_steps", "their_steps")),
    Production(
        CONDITION,
        "foreseen(state, my_history, opp_history, opponent_program_code) == {0}",
        (CELL,),
        ("foreseen",),
    ),
    *[Production(FEW_NUMBER, str(steps)) for steps in (1, 2, 3)],
)

COIN_HELPERS = {
    "likeness": LIKENESS,
    "my_coin": '''
def my_coin(state):
    """Where my coin is."""
    return find_coin_positions(state, MY_ID)[0]
''',
    "their_coin": '''
def their_coin(state):
    """Where the other's coin is."""
    return find_coin_positions(state, MY_ID)[1]
''',
    "distance": '''
def distance(here, there, size):
    """Steps from one cell to another, with the edges joined."""
    rows, columns = abs(here[0] - there[0]), abs(here[1] - there[1])
    return min(rows, size - rows) + min(columns, size - columns)
''',
    "my_steps": '''
def my_steps(cell, state):
    """Steps from me to a cell."""
    return distance(find_my_position(state, MY_ID), cell, len(state[0]))
''',
    "their_steps": '''
def their_steps(cell, state):
    """Steps from the other to a cell."""
    return distance(find_opponent_position(state, MY_ID), cell, len(state[0]))
''',
    "towards": '''
def towards(cell, state):
    """The move that leads nearest to a cell."""
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    return min(MOVES, key=lambda move: distance(cells[move], cell, len(state[0])))
''',
    "sparing": '''
def sparing(cell, state):
    """The move that leads nearest to a cell without taking a coin of the other alone."""
    mine, theirs = find_coin_positions(state, MY_ID)
    cells = get_adjacent_positions(find_my_position(state, MY_ID))
    moves = [move for move in MOVES if cells[move] != theirs or theirs == mine]
    return min(moves, key=lambda move: distance(cells[move], cell, len(state[0])))
''',
    "foreseen": '''
def foreseen(state, mine, others, source):
    """Where the other would go now; None where that cannot be found out."""
    try:
        move = simulate(source, [list(pair) for pair in zip(mine, others)], state)
    except RuntimeError:
        return None
    return get_adjacent_positions(find_opponent_position(state, MY_ID))[move]
''',
}


def _grammar(interface: Interface, words: Sequence[Production], helpers: Mapping[str, str], most: int) -> Grammar:
    numbers = [Production(NUMBER, str(turn)) for turn in _numbers(most)]
    head = f"def {ENTRY}({', '.join(interface.parameters)}):"
    productions = (*RULES, *LOGIC, *TURNS, *READING, *words, *numbers)
    return Grammar(head, productions, helpers, frozenset((NUMBER, SHARE, FEW_NUMBER)))


def _numbers(most: int) -> list[int]:
    """1 to the largest number, or the first and the last of them where they are many."""
    # Rules for the end of a match need its last turns.
    half = MAX_NUMBERS // 2
    every = range(1, most + 1)
    return list(every) if most <= MAX_NUMBERS else [*every[:half], *every[-half:]]


GRAMMARS: Mapping[str, Callable[[int], Grammar]] = {
    "matrix": partial(_grammar, MATRIX, MATRIX_WORDS, MATRIX_HELPERS),
    "coin_game": partial(_grammar, COIN_GAME, COIN_WORDS, COIN_HELPERS),
}
"""Base game to what makes its grammar from the largest number of turns that programs can speak of, >= 1."""
