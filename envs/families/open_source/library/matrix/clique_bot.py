"""Cooperates with its own copies alone: the two sources must be equal, character by character.

With a copy of itself it is an equilibrium of programs in which both cooperate.
Source: Tennenholtz 2004, Program equilibrium, Games and Economic Behavior 49(2); McAfee 1984, Effective
Computability in Economic Decisions.
"""


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays C if both sources are the same text."""
    return "C" if opponent_program_code == my_program_code else "D"
