"""Cooperates if the other would cooperate with it, but not with the naive, who would do so even with a defector.

With probability EPSILON it cooperates at once, so that two such programs that run each other come to an end; never
after a defection, so that it is not taken for naive itself.
Source: Barasz et al. 2014, Robust Cooperation in the Prisoner's Dilemma: Program Equilibrium via Provability Logic
(PrudentBot), with simulation in the place of proof as in Oesterheld 2019, Robust program equilibrium.
"""

EPSILON = 0.4
VERDICTS = []
DEFECTOR = """
def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    return "D"
"""


def is_naive(source):
    """Whether the other cooperates with a defector after three rounds, three times over; found out once in a match."""
    if not VERDICTS:
        answers = [simulate(source, [["D", "C"]] * 3, against=DEFECTOR) for _ in range(3)]
        VERDICTS.append(answers == ["C", "C", "C"])
    return VERDICTS[0]


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays C with those who cooperate here and punish defectors."""
    if opp_history and opp_history[-1] != "C":
        return "D"
    if random.random() < EPSILON:
        return "C"
    history = [[mine, others] for mine, others in zip(my_history, opp_history)]
    try:
        return "D" if is_naive(opponent_program_code) else simulate(opponent_program_code, history)
    except RuntimeError:
        return "C"
