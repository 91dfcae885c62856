"""Equivalent strategies of the Axelrod library (version 4.14), for comparison.

Without trembles, deterministic strategies agree move for move; stochastic ones have the same probabilities.
"""

from __future__ import annotations

from econzoo.baselines.matrix import CLASSICS

RENAMED_STRATEGIES = {
    "cycler": "CyclerCCD",
    "cycler('DC')": "CyclerDC",
    "cycler('DDC')": "CyclerDDC",
    "cycler('CCCDCD')": "CyclerCCCDCD",
    "mixed": "Random",
    "tit-for-two-tats": "TitFor2Tats",
    "hard-tit-for-two-tats": "HardTitFor2Tats",
    "tits-for-tats": "NTitsForMTats",
    "slow-tit-for-tat": "SlowTitForTwoTats2",
    "davis": "FirstByDavis",
    "spiteful-cc": "SpitefulCC",
    "gradual": "OriginalGradual",
    "shubik": "FirstByShubik",
    "go-by-majority(5)": "GoByMajority5",
    "hard-go-by-majority(10)": "HardGoByMajority10",
    "short-memory": "ShortMem",
    "generous-tit-for-tat": "GTFT",
    "joss": "FirstByJoss",
    "grofman": "FirstByGrofman",
    "zd-extort": "ZDExtort2",
    "zd-generous": "ZDGTFT2",
    "zd-set": "ZDSet2",
    "collective": "CollectiveStrategy",
    "tester": "SecondByTester",
    "adaptive('sum')": "Adaptive",
    "downing": "FirstByDowning",
    "adaptive-tit-for-tat(0.5)": "AdaptiveTitForTat",
    "adaptive-pavlov": "APavlov2006",
    "adaptive-pavlov-2011": "APavlov2011",
    "omega-tit-for-tat": "OmegaTFT",
    "all-or-none": "AON2",
    "nydegger": "FirstByNydegger",
    "feld": "FirstByFeld",
    "tullock": "FirstByTullock",
    "stein-and-rapoport": "FirstBySteinAndRapoport",
}
"""Strategies whose name there does not follow from ours."""

COUNTERPARTS: dict[str, str] = {
    name: "".join(map(str.capitalize, name.split("-")))
    for name in CLASSICS
    if name not in ("adaptive", "adaptive-tit-for-tat")  # these match with other arguments
} | RENAMED_STRATEGIES
"""Names of their classes by our spec."""
