"""Cooperates with programs that have its own syntax tree, whatever their comments, layout and names.

Source: Tennenholtz 2004, Program equilibrium, Games and Economic Behavior 49(2), with equal trees in the place of
equal texts; the remedy for what LaVictoire et al. 2014 (Program Equilibrium in the Prisoner's Dilemma via Loeb's
Theorem) call the brittleness of CliqueBot.
"""


def is_docstring(statement):
    """Whether a statement is a text that stands alone."""
    return statement["node"] == "Expr" and statement["value"]["node"] == "Constant"


def plain(part, known):
    """The tree without docstrings, and with every name replaced by its place in the order of appearance."""
    if isinstance(part, list):
        return [plain(item, known) for item in part if not (isinstance(item, dict) and is_docstring(item))]
    if not isinstance(part, dict):
        return part
    out = {}
    for key, value in part.items():
        is_name = (part["node"], key) in [("Name", "id"), ("arg", "arg"), ("FunctionDef", "name")]
        if is_name and value not in known:
            known[value] = len(known)
        out[key] = known[value] if is_name else plain(value, known)
    return out


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    """Plays C if both trees are the same."""
    mine = plain(syntax_tree(my_program_code), {})
    others = plain(syntax_tree(opponent_program_code), {})
    return "C" if mine == others else "D"
