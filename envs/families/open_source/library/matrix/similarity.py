"""Cooperates with programs that share enough words with it, as long as they cooperate.

The measure is the Jaccard index of the sets of three successive words of both sources.
Source: Oesterheld et al. 2023, Similarity-based cooperative equilibrium (NeurIPS); the index is Jaccard's (1912).
"""

THRESHOLD = 0.5


def phrases(source):
    """Every three words in a row."""
    words = re.findall(r"\w+|[^\w\s]", source)
    return {(words[i], words[i + 1], words[i + 2]) for i in range(len(words) - 2)}


def similarity(first, second):
    """Share of the phrases of either source that both have."""
    one, two = phrases(first), phrases(second)
    either = len(one | two)
    return len(one & two) / either if either else 1.0


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays C with a program like itself until it defects."""
    if opp_history and opp_history[-1] != "C":
        return "D"
    return "C" if similarity(my_program_code, opponent_program_code) >= THRESHOLD else "D"
