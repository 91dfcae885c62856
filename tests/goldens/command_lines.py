"""Command lines whose numbers are kept, by the name of what they do; the names stay when commands are renamed."""

from __future__ import annotations

OTHERS = (
    "survival_auction", "program_matrix", "program_coin", "coin_game", "code_reading", "double_auction", "multi_issue",
    "public_goods",
)  # fmt: skip
"""Games whose texts ``commands.py`` does not keep."""

_FOUR, _TWO = (f'--judge \'mock:{{"score": {score}, "reason": "So."}}\'' for score in (4, 2))
_POOL = "--opponents spe --opponents random --seeds 1 -p horizon=3"
_LEVELS = "'k-level(2)' nash --opponents fixed --opponents mono -p rounds=4 --seeds 2 --jobs 1"
_KINDS = "|".join(['{"category": "feint", "reason": "So."}'] * 40)
_FEW = "--time 20 --runs 20 --starts 20 --resamples 20 --population 10 --generations 10"

LINES: dict[str, list[str]] = {
    "show": [*(f"show {name} --json" for name in OTHERS), "show bargaining", "show water_allocation"],
    "play": [
        "play bargaining spe fair --json -p horizon=3 --seed 3 --matches 3 --out a.jsonl",
        "play matrix tit-for-tat random --json -p noise=0.2 -p rounds=4 --seed 3",
        "play water_allocation random random random random random --json -p days=3 --seed 3",
        "play double_auction random random --json --seed 3",
        "play public_goods random random random random --json -p rounds=2 --seed 3",
        "play multi_issue random random --json --seed 3",
    ],
    "tournament": [
        "tournament bargaining fair random spe --seeds 2 -p horizon=3 --out a --json --jobs 1",
        "tournament bargaining fair random spe --seeds 2 -p horizon=3 --out a --jobs 1",
        "tournament guess_average random mono nash --opponents fixed --seeds 2 -p rounds=3 --out b --json --jobs 1",
        "tournament persuasion honest bayes random --seeds 3 -p rounds=3 --objective efficiency --out c --jobs 1",
        "tournament negotiation tough honest-midpoint --seeds 2 --settings default --settings silent "
        "--shard 1/3 --out d --json",
        "tournament bargaining spe fair --seeds 1 --settings inputs/markets.json --out f --json --jobs 1",
        "tournament bargaining fair random boulware --seeds 12 -p horizon=6 --out g --json --jobs 1",
        "tournament bargaining fair random boulware --seeds 12 -p horizon=6 --out g --jobs 1",
        "tournament bargaining fair random boulware --seeds 3 --settings all --objective efficiency --out h "
        "--json --jobs 1",
        "tournament matrix tit-for-tat random grudger --seeds 2 -p rounds=4 -p noise=0.1 --out e --json --jobs 1",
    ],
    "evaluate": [
        f"evaluate bargaining fair {_POOL} --out a --json --jobs 1",
        f"evaluate bargaining fair {_POOL} --out a --scripts --by-seat --jobs 1",
        "evaluate negotiation tough random --seeds 1 -p horizon=4 --out b --json --jobs 1 --ceiling",
    ],
    "ceiling": [
        "run bargaining --ceiling --opponents fair --opponents random -p horizon=3 --seeds 2 --jobs 1 --json",
        "run bargaining --ceiling --opponents fair --opponents random -p horizon=3 --seeds 2 --jobs 1",
        "run negotiation --ceiling --opponents tough -p horizon=3 --jobs 1 --json",
    ],
    "replay": [
        *(f"replay records/{name}.jsonl --json" for name in ("bargaining", "persuasion", "matrix", "glee")),
        "tournament bargaining fair random --seeds 2 -p horizon=3 --out a --jobs 1",
        "replay a/records.jsonl --again --json",
    ],
    "seal": ["play bargaining fair random --out a.jsonl --matches 4", "replay --seal a.jsonl", "replay --seal a.jsonl"],
    "summary": [
        "analyze records/bargaining.jsonl --format csv --transcripts 2 --out a",
        "analyze records/water_allocation.jsonl --format csv --transcripts 2 --out b",
        "analyze records/matrix.jsonl --format csv --transcripts 2 --out c --objective efficiency",
    ],
    "behaviour": ["analyze records behaviour --format csv --out a"],
    "channel": [
        "run channel fair spe --seeds 3 -p horizon=4 --out a --jobs 1",
        "analyze a channel",
        "run channel honest bayes --game persuasion --seeds 3 -p rounds=3 --out b --jobs 1",
        "analyze b channel",
    ],
    "anchoring": [
        "run anchoring mock:= mock:* --seeds 8 --out a --jobs 1 --json",
        "analyze a anchoring",
        "run anchoring mock:* --game water_allocation --seeds 4 --out b --jobs 1",
        "analyze b anchoring",
    ],
    "analyze": [
        "tournament bargaining fair spe random --seeds 8 --settings default --settings impatient --settings "
        "patient-first --out a --jobs 1",
        "analyze a regression --out b --splits 4 --format csv --format latex --json",
        "analyze a regression --out c --splits 3 --format csv --pairs",
    ],
    "programs": [
        "analyze records programs --format csv --out a --pool defect --pool cooperate",
        f"analyze records programs --format csv --out b --pool defect --judge 'mock:{_KINDS}'",
    ],
    "evolve": [
        f"analyze inputs/square.csv evolution --format csv --out a --json --start 2,1,1 {_FEW}",
        "tournament matrix tit-for-tat defector random -p rounds=5 --seeds 3 --out m --jobs 1",
        f"analyze m evolution --format csv --out b {_FEW}",
    ],
    "judge": [
        f"judge records/alympics.jsonl {_FOUR} {_TWO} --out a/judgements.jsonl --json",
        "judge --report a/judgements.jsonl --out b/judgements.jsonl",
    ],
    "import_glee": ["convert inputs/glee a.jsonl --json"],
    "export_glee": [
        "convert records/glee.jsonl a --to glee",
        "convert a b.jsonl --json",
        "convert records c --to glee",
    ],
    "import_alympics": ["convert inputs/alympics a.jsonl --json"],
    "metrics": [
        f"analyze records/{name}.jsonl glee-metrics --format csv --out {name}"
        for name in ("bargaining", "negotiation", "persuasion", "glee")
    ],
    "export": [
        "convert records/bargaining.jsonl a --to csv",
        "convert records/water_allocation.jsonl b --to csv",
        "convert records/personas.jsonl c --to csv --texts",
    ],
    "benchmark_glee": [
        "run glee fair random --family bargaining --plan sampling --seeds 1 --out b --jobs 1 --json",
        "analyze b glee --format csv",
        "run glee fair --opponents random --family bargaining --out a --jobs 1 --json",
        "run glee fair --opponents random --family bargaining --out a --jobs 1 --list",
    ],
    "benchmark_standard": [
        "run standard random --seeds 1 --out a --jobs 1 --json",
        "run standard random --seeds 1 --out a --jobs 1",
        "analyze a score-card --players random --seeds 1 --format csv",
    ],
    "benchmark_sparc": [
        "run sparc static constant --settings TitForTat --settings Grudger --settings Defector --out a --jobs 1 --json",
        "analyze a sparc",
        "run sparc --list",
        "python benchmarks/sparc.py labels b.csv TitForTat Grudger",
        "python benchmarks/sparc.py check 0/1 TitForTat Grudger",
    ],
    "experiment_water": [
        "run water 'reserve(2)' --seeds 2 --settings scarce -p days=4 --out a --jobs 1 --json",
        "analyze a water",
        "run water 'bid(3)' need-based random 'reserve(2)' random --seeds 1 -p days=3 --settings scarce --rotate "
        "--out b --jobs 1",
        "analyze b water",
    ],
    "experiment_guess": [
        f"run guess {_LEVELS} --out a --json",
        f"run guess {_LEVELS} --out a",
        "analyze a levels",
        "run guess 'k-level(1)' random --opponents mono --opponents random --seeds 8 --out b --json --jobs 1",
        "analyze b levels",
    ],
    "experiment_auction": [
        "run auction need-based --opponents 'reserve(3)' -p days=4 --seeds 2 --out a --jobs 1 --json",
        "analyze a levels",
    ],
    "replicate_alympics": [
        "run water random --seeds 2 --settings scarce --settings plenty --out a --jobs 1",
        "analyze a water",
        "analyze a replicate-alympics --out b --json",
    ],
    "replicate_open_source": ["run open-source --out a --jobs 1 --json", "analyze a replicate-open-source"],
    "study_init": ["study init bargaining --out a.toml", "study init persuasion --out b.toml --design glee-human"],
    "study_plan": [
        "study init bargaining --out a.toml",
        "study plan a.toml --table",
        "study plan a.toml --sd 1500 --payoff 4000 --icc 0.5 --preregistration plan.md",
        "study plan a.toml --records records/bargaining.jsonl",
        "tournament bargaining fair random --seeds 8 --settings default --settings silent --out b --jobs 1",
        "study plan a.toml --records b/records.jsonl",
        "study plan inputs/strangers.toml --sd 1500 --payoff 4000 --icc 0.3 --paired 0.4",
        "study plan inputs/strangers.toml --table",
    ],
    "study_export": [
        "study export folders/study --out a.zip",
        "study forget folders/study 5f01aa",
        "study export folders/study --out b.zip --identified",
    ],
    "study_compare": [
        "tournament bargaining fair spe -p money=100 -p horizon=12 --seeds 3 --out a --jobs 1",
        "study compare folders/people a --out b.csv",
    ],
    "study_export_otree": ["study export folders/study/study.toml --format otree --out a"],
    "policy": [
        "play bargaining ppo:folders/policy.zip random -p horizon=3 --matches 4 --json",
        "evaluate bargaining ppo:folders/policy.zip --opponents fair -p horizon=3 --seeds 2 --json --jobs 1",
        "evaluate bargaining ppo:folders/policy.zip --opponents fair -p horizon=3 --seeds 2 --jobs 1 --ceiling",
    ],
}
"""Lines by name; each name has a folder of its own, in which its lines run one after the other."""

SLOW = ("analyze", "replicate_alympics", "replicate_open_source")
"""Commands that take more than five seconds."""

MODELS = ("policy",)
"""Commands that need torch."""

RESUMED: dict[str, str] = {
    "tournament": "tournament bargaining fair random spe --seeds 2 -p horizon=3 --jobs 1",
    "experiment_guess": f"run guess {_LEVELS}",
    "benchmark_glee": "run glee fair --opponents random --family bargaining --jobs 1",
}
"""Lines without ``--out`` that have played half of the matches in the folder of their name in ``folders``."""
