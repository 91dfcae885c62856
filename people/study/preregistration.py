"""Preregistration draft of a study, filled in from its file."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from io import StringIO

from econzoo.envs.core import PACKAGE, format_count, format_times
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import format_exact
from econzoo.evaluate.show import write_rows
from econzoo.people.study import payment
from econzoo.people.study.declaration import PARTNER, PAY, PERSON, POLICIES, RANDOM, STRANGER, Arm, Leaving, Study
from econzoo.people.study.items import IMAGE
from econzoo.people.study.plan import StudyPlan, format_money, plan_lines
from econzoo.people.study.stages import PRACTICE, SURVEY, Stage
from econzoo.people.study.tables import setting_labels, table_heads, table_rows

PARTNER_TEXTS = {
    PARTNER: "fixed partners",
    STRANGER: "strangers only (no partner twice)",
    RANDOM: "random partners in each of them",
}

PAYMENT_TEXTS = {
    payment.ALL: "of all matches of a participant",
    payment.RANDOM: "of {}, drawn at random",
    payment.BEST: "of {} with the highest payoffs",
    payment.ROUND: "of one round of all matches, drawn at random",
}


def preregistration(plan: StudyPlan) -> str:
    """Return the draft as Markdown, with brackets for the researcher to fill in."""
    parts = [
        (f"Preregistration: {plan.study.name}", _head(plan)),
        ("Hypotheses", ["[What do you expect, and in which direction?]"]),
        ("Design", _design(plan)),
        ("Settings", [f"{place}. {name}" for place, name in enumerate(setting_labels(plan.study), start=1)]),
        ("Outcomes", _outcomes(plan.study)),
        ("Sample size and stopping rule", _sample(plan)),
        ("Exclusions", _exclusions(plan.study)),
        ("Payment", _payment(plan.study)),
        ("Analysis", _analysis(plan)),
        ("Deception and debriefing", _blinding(plan.study)),
        ("Other", ["[Exploratory questions, other data, earlier studies.]"]),
    ]
    heads = ["#", *["##"] * (len(parts) - 1)]
    sections = [f"{head} {title}\n\n" + "\n".join(body) for head, (title, body) in zip(heads, parts, strict=True)]
    return "\n\n".join(sections) + "\n"


def _head(plan: StudyPlan) -> Iterator[str]:
    yield "Authors: [names]. Date: [day]. No data have been collected yet: [yes or no]."
    games = [f"{game}, version {find_game(game).version}" for game in plan.study.games]
    yield f"Software: econzoo {version(PACKAGE)}. Game: {'; '.join(games)}."
    yield f"SHA-256 of the study file: {_digest(plan.study.source)}."
    text = StringIO()
    write_rows(text, table_heads(plan.study, plan.table), table_rows(plan.study, plan.table))
    yield f"SHA-256 of the randomisation table (`econzoo study plan FILE --table`): {_digest(text.getvalue())}."


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _design(plan: StudyPlan) -> Iterator[str]:
    study = plan.study
    several = len(study.games) > 1
    for game in study.games:
        yield f"{game}: {find_game(game).summary}" if several else find_game(game).summary
    for arm in study.arms:
        blinding = "; participants learn only in the debriefing that others are programs" if arm.blinded else ""
        yield f"- Arm `{arm.name}`: {_describe_seats(study, arm)}{blinding}."
    given = study.matching
    matches, partners = format_count(given.repetitions, "match"), PARTNER_TEXTS[given.partners]
    yield f"Each participant is in one arm and plays {matches}, with {partners}."
    if len(study.stages) > 1:
        yield f"Stages in order: {', '.join(_describe_stage(stage, several) for stage in study.stages)}."
    yield "Arms: permuted blocks by order of admission. Settings and seats are balanced, see the randomisation table."
    groups = len({one.group for one in plan.table})
    yield f"Seed {given.seed}; {format_count(len(plan.table), 'match')} in {format_count(groups, 'independent group')}."


def _describe_seats(study: Study, arm: Arm) -> str:
    """Return the seats of an arm as text, by game if they differ."""
    lineups = {game: study.settings[study.first_setting(game)].seats.get(arm.name, arm.seats) for game in study.games}
    names = {
        game: ", ".join("participant" if who == PERSON else f"`{who}`" for who in seats)
        for game, seats in lineups.items()
    }
    same = len(set(names.values())) == 1
    return names[study.games[0]] if same else "; ".join(f"{game}: {seats}" for game, seats in names.items())


def _describe_stage(stage: Stage, several: bool) -> str:
    if stage.kind == SURVEY:
        return f"a page{f' {stage.title!r}' * bool(stage.title)} with {format_count(len(stage.items), 'question')}"
    if stage.kind == PRACTICE:
        return f"an unpaid practice match against `{stage.opponent}`"
    return format_count(stage.repetitions, "match") + f" of {stage.game}" * several


def _outcomes(study: Study) -> Iterator[str]:
    gains = [find_game(game).facts.gain for game in study.games]
    gain = gains[0] if len(gains) == 1 else "; ".join(map("{}: {}".format, study.games, gains))
    yield f"Primary: a participant's payoff in a match (self-gain: {gain}). [Change or add.]"
    for item in (*(item for stage in study.stages for item in stage.items), *study.questionnaire):
        if item.kind != IMAGE:
            yield f"- Questionnaire, {item.kind}: {item.question}"


def _sample(plan: StudyPlan) -> Iterator[str]:
    admitted = format_count(plan.study.matching.participants, "participant")
    yield f"The study closes after {admitted}. [Earlier stopping?]"
    yield from plan_lines(plan)


def _exclusions(study: Study) -> Iterator[str]:
    if study.attention:
        often = format_times(study.attention.attempts)
        yield f"- Participants who type the wrong code word {often} are excluded before the matches."
    if study.quiz and study.quiz_attempts:
        questions, often = format_count(len(study.quiz), "question"), format_times(study.quiz_attempts)
        yield f"- Participants who fail the quiz of {questions} {often} are excluded before the matches."
    alone = "are paid the fee and leave" if study.time.alone == PAY else f"play with `{study.time.alone}`"
    yield f"- Participants without partners after {format_count(study.time.waiting, 'second')} of waiting {alone}."
    follows = {POLICIES[0]: "the game's default action", POLICIES[1]: "a forfeit"}.get(study.leaving.policy)
    limit = (
        f"Time limit per move: {format_count(study.time.move, 'second')}" if study.time.move else "No limit per move"
    )
    yield f"- {limit}; missed moves are replaced by the game's default action."
    yield from _leaving_lines(study.leaving, follows or f"`{study.leaving.policy}` in the seat")
    yield "- Matches with dropouts: [kept or dropped]. Results are reported for completers and for all assigned."


def _leaving_lines(rule: Leaving, follows: str) -> Iterator[str]:
    """Yield the dropout rule."""
    when = [f"miss {format_count(rule.missed, 'move')} of a match"] if rule.missed else []
    when += [f"close its page for {format_count(rule.away, 'second')}"] if rule.away else []
    who = ", ".join([*when, "or withdraw"] if when else ["withdraw"])
    yield f"- Participants who {who} have left the match: {follows} for the rest of it, unpaid."


def _payment(study: Study) -> Iterator[str]:
    paid = study.payment
    low, high = (format_money(100 * bound, study) for bound in (paid.floor, paid.cap))
    yield f"A fee of {format_money(paid.fee_cents, study)} and a bonus from {low} to {high}:"
    unit = paid.points_name or "unit of payoff"
    rates = list(dict.fromkeys((study.rate(at), study.settings[at].game) for at in study.settings_by_match))
    same = len({rate for rate, _ in rates}) == 1
    amounts = [
        f"{format_exact(rate)} {paid.real_currency}" + f" in {game}" * (not same)
        for rate, game in rates[: 1 if same else None]
    ]
    what = PAYMENT_TEXTS[paid.pays].format(format_count(paid.matches, "match"))
    yield f"{', '.join(amounts)} per {unit}: {what}."
    keeps = "keep" if paid.partial else "do not keep"
    yield f"Participants who leave {keeps} the fee. Recruitment: {study.recruitment.source}."


def _analysis(plan: StudyPlan) -> Iterator[str]:
    yield "Observation: a participant in a match. Standard errors clustered by independent group (column `group`)."
    for found in plan.effects:
        of = f"{found.game}: " if len(plan.effects) > 1 else ""
        for contrast, _ in found.between_groups:
            compared = f"{of}{contrast.first} vs. {contrast.second}"
            yield f"- {compared}: two-sided t test of group means, controlling for settings."
        for within, _ in found.within_groups:
            compared = f"{of}{within.first} vs. {within.second}"
            yield f"- {compared}: paired t test of the means of groups that play in both."
    yield "[Regressions, further comparisons, corrections for multiple testing.]"


def _blinding(study: Study) -> Iterator[str]:
    blinded = [f"`{arm.name}`" for arm in study.arms if arm.blinded]
    if blinded:
        yield f"In {', '.join(blinded)} participants learn in the debriefing that others were programs."
    else:
        yield "Nothing is concealed from participants."
    yield "[Ethics approval: number.]"
