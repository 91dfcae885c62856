"""Cooperates if the other would cooperate with it: runs the other, now and then cooperates without looking.

With probability EPSILON it cooperates at once, so that two such programs that run each other come to an end.
Source: Oesterheld 2019, Robust program equilibrium, Theory and Decision 86 (epsilon-grounded FairBot).
"""

EPSILON = 0.3


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays what the other would play here; where that cannot be found out, what it played last."""
    if random.random() < EPSILON:
        return "C"
    history = [[mine, others] for mine, others in zip(my_history, opp_history)]
    try:
        return simulate(opponent_program_code, history)
    except RuntimeError:
        return "D" if opp_history and opp_history[-1] != "C" else "C"
