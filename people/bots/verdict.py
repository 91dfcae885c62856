"""Checks after a study test: no participant stuck, correct payments, no lost matches, consistent export."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import replay
from econzoo.people.bots.bot_behaviour import WAITING
from econzoo.people.bots.form_filling import NUMERAL
from econzoo.people.bots.story import Stay, Story
from econzoo.people.bots.trial import TrialResult
from econzoo.people.study import NO_PARTNER, PAGE_REACHED, PARTNER, RECORDS, ROUND, STRANGER, PlannedMatch, Study, Unit
from econzoo.people.study import export_study, format_cents, payoff_for_bonus, plan_matches, return_link, round_payoffs

Row = Mapping[str, str]

GRACE = 1.0
"""Seconds allowed for a possible match to begin."""

UNPAID = ("consent", "instructions", "quiz", "practice", "survey", "excluded")
"""Pages on which an end is unpaid, if no match has begun."""


class ExportedStudy:
    """The export of a study, with ids.

    Attributes:
        waiters_in_vain: Participants who waited in vain for a match; each with those in the waiting room then.
    """

    def __init__(self, folder: Path, out: Path) -> None:
        with zipfile.ZipFile(export_study(folder, out, identified=True).path) as archive:
            self._files = {name: archive.read(name).decode() for name in archive.namelist() if "/" not in name}
        self.participants = {row["id"]: row for row in self.rows("participants")}
        self.records = {one.id: one for one in map(Record.from_json, self._files[RECORDS].splitlines())}
        self.seats: dict[str, dict[int, Row]] = defaultdict(dict)
        self.duplicate_seats: list[tuple[str, int]] = []
        for row in self.rows("seats"):
            own, match = self.seats[row["participant"]], int(row["repetition"]) - 1
            self.duplicate_seats += [(row["participant"], match)] if row["participant"] and match in own else []
            own[match] = row
        self.waiters_in_vain: dict[str, set[str]] = {}
        pages: dict[str, str] = {}
        for row in self.rows("events"):
            if row["kind"] == PAGE_REACHED:
                pages[row["participant"]] = parse_json(row["details"])["page"]
            elif row["kind"] == NO_PARTNER:
                self.waiters_in_vain[row["participant"]] = {who for who, page in pages.items() if page == WAITING}

    def rows(self, table: str) -> list[Row]:
        return [*csv.DictReader(io.StringIO(self._files[f"{table}.csv"]))]

    @cached_property
    def answers(self) -> dict[str, Counter[str]]:
        """Participant to their questionnaire answers."""
        answers: dict[str, Counter[str]] = defaultdict(Counter)
        for row in self.rows("answers"):
            if row["kind"] == "questionnaire":
                answers[row["participant"]][row["answer"]] += 1
        return answers


class Verdict:
    """Checks of a test."""

    def __init__(self, study: Study, seen: TrialResult, exported: ExportedStudy) -> None:
        self._study, self._seen, self._exported = study, seen, exported

    def find_problems(self) -> list[str]:
        """Return a line per problem."""
        lines = [*self._server_errors(), *self._record_problems()]
        for one in self._seen.stories:
            problems = [*one.problems, *self._waiting_problems(one)]
            row = self._exported.participants.get(one.name)
            if row is not None:
                problems += [
                    *self._payment_problems(one, row),
                    *self._screen_problems(one, row),
                    *self._match_problems(one, row),
                ]
            elif one.stays:
                problems.append("is missing in participants.csv")
            lines += [f"{one.name} ({one.behaviour.description}) {problem}" for problem in problems]
        return lines

    def _server_errors(self) -> Iterator[str]:
        errors = re.findall(r"^[\w.]*(?:Error|Exception)\b.*$", self._seen.log, re.MULTILINE)
        yield from (f"server error: {line[:200]}" for line in dict.fromkeys(errors))

    # -- waiting -----------------------------------------------------------------------------------------------

    def _waiting_problems(self, one: Story) -> Iterator[str]:
        """Check whether a participant without a match was sent on too early, or passed over."""
        waits = [at for at, stay in enumerate(one.stays) if stay.stage == WAITING]
        if (
            not one.has_ended
            or not waits
            or self._participant_row(one).get("participant") not in self._exported.waiters_in_vain
        ):
            return
        last, match = one.stays[waits[-1]], one.stays[waits[-1]].match
        first = min(at for at in waits if one.stays[at].match == match)
        came = one.stays[max(0, first - 1)].ended  # later responses may be late or lost
        until = one.stays[waits[-1] + 1].began if waits[-1] + 1 < len(one.stays) else last.ended
        waited, limit = until - came, self._study.time.waiting
        if waited < limit - GRACE / 2:
            yield f"was sent on without a match after {waited:.1f} s in the waiting room instead of {limit} s"
        # Others matter only if the page was open to the end of the wait.
        others = self._other_waiters(one, match, last.ended) if until < last.ended + GRACE / 2 else []
        for some in combinations(others, max(self._study.match_sizes(arm)[match] for arm in self._study.arms) - 1):
            if some and not self._has_repeated_pair([one, *some]):
                names = ", ".join(other.name for other in some)
                yield f"had no match {match + 1} in {waited:.1f} s although {names} waited too"
                return

    def _other_waiters(self, one: Story, match: int, when: float) -> list[Story]:
        """Return possible partners who waited for the match at that time with an open page."""
        there = self._exported.waiters_in_vain[self._participant_row(one)["participant"]]
        others = [other for other in self._seen.stories if self._participant_row(other).get("participant") in there]
        if match and self._study.matching.partners == PARTNER:
            return []
        if match:
            others = [
                other
                for other in others
                if self._participant_row(other).get("group") == self._participant_row(one).get("group")
            ]
        return [other for other in others if any(_is_waiting_at(stay, match, when) for stay in other.stays)]

    def _has_repeated_pair(self, some: Sequence[Story]) -> bool:
        """Whether two strangers have already met."""
        matches = [
            {seat["planned_match"] for seat in self._seats_by_match(self._participant_row(one)).values()}
            for one in some
        ]
        met = any(first & second for first, second in combinations(matches, 2))
        return met and self._study.matching.partners == STRANGER

    def _participant_row(self, one: Story) -> Row:
        return self._exported.participants.get(one.name, {})

    # -- payment -----------------------------------------------------------------------------------------------

    def _payment_problems(self, one: Story, row: Row) -> Iterator[str]:
        """Check the payment against the study file and the records."""
        payment, page = self._study.payment, row["page"]
        admitted = page == "done" or (page == "withdrawn" and (bool(row["place"]) or row["withdrawn"] not in UNPAID))
        due = page == "done" or (admitted and payment.partial)
        if due != bool(row["completion_code"]) and page in ("done", "withdrawn", "excluded"):
            yield f"ended on page {page} with {'no' if due else 'a'} completion code, contrary to the study file"
        fee = payment.fee_cents if row["completion_code"] else 0
        if row["fee"] != format_cents(fee):
            yield f"has a fee of {row['fee']} in the export, but {format_cents(fee)} by the study file"
        if row["bonus"] and admitted:
            bonus = format_cents(payment.bonus(dict(self._payoffs(row)), row["draw_seed"], self._rates(row)).cents)
            if row["bonus"] != bonus:
                yield f"has a bonus of {row['bonus']} in the export, but {bonus} by study file and records"

    def _payoffs(self, row: Row) -> Iterator[tuple[Unit, float]]:
        """Yield unit and payoff of everything that counts."""
        for seat in self._seats_by_match(row).values():
            record = self._exported.records.get(seat["match"])
            if record is None:
                continue
            number, place = int(seat["planned_match"]), int(seat["seat"])
            payoff = payoff_for_bonus(record, place, (place,) if seat["left"] == "1" else ())
            if payoff is None:
                continue
            if self._study.payment.pays == ROUND:
                rounds = round_payoffs(record, place)
                yield from (((number, round), each) for round, each in enumerate(rounds, start=1))
            else:
                yield (number,), payoff

    def _rates(self, row: Row) -> dict[int, float]:
        """Return match number to money per unit of payoff."""
        seats = self._seats_by_match(row).values()
        return {
            (number := int(seat["planned_match"])): self._study.rate(self._match_plan[number - 1].setting)
            for seat in seats
        }

    @cached_property
    def _match_plan(self) -> list[PlannedMatch]:
        return plan_matches(self._study)

    def _seats_by_match(self, row: Row) -> Mapping[int, Row]:
        """Return match to seat of a participant."""
        return self._exported.seats.get(row.get("participant", ""), {})

    # -- screens -----------------------------------------------------------------------------------------------

    def _screen_problems(self, one: Story, row: Row) -> Iterator[str]:
        """Check displayed values against stored ones."""
        code, bonus = one.final_page_texts.get("code", "").strip(), one.final_page_texts.get("bonus", "").strip()
        expected = return_link(self._study.ends, row["end"], row["completion_code"]).code
        if one.has_ended and code != expected:
            yield f"saw the code {code or 'none'}, but export and study file have {expected or 'none'}"
        if bonus and not _is_same_number(bonus, float(row["bonus"] or 0)):
            yield f"saw the bonus {bonus}, but the export has {row['bonus'] or 'none'}"
        for match, shown in one.payoffs.items():
            payoff = self._seats_by_match(row).get(match, {}).get("payoff")
            if payoff and not _is_same_number(shown, float(payoff)):
                yield f"saw the payoff {shown} after match {match + 1}, but the export has {payoff}"
        kept_answers = self._exported.answers[row["participant"]]
        if lost := [answer for answer in one.answers.values() if not kept_answers[answer.strip()]]:
            yield f"gave answers that are missing in answers.csv: {', '.join(lost)}"

    # -- matches -----------------------------------------------------------------------------------------------

    def _match_problems(self, one: Story, row: Row) -> Iterator[str]:
        """Check that all matches of a participant are stored with all their moves."""
        for match in sorted(one.played_matches):
            seat = self._seats_by_match(row).get(match)
            if seat is None:
                yield f"played match {match + 1}, which is missing in seats.csv"
            elif not seat["status"] and match in one.payoffs:
                yield f"saw the end of match {match + 1}, which is in progress in seats.csv"
            elif (record := self._exported.records.get(seat["match"])) is not None:
                yield from self._move_problems(one, match, seat, record)

    def _move_problems(self, one: Story, match: int, seat: Row, record: Record) -> Iterator[str]:
        """Check that the record has exactly the accepted moves, in order."""
        turns = [turn for turn in record.turns if turn.seat == int(seat["seat"]) and not turn.default]
        usual = find_game(record.game).actions.names[0]  # records omit the kind in games with only one
        kinds = [turn.action.get("kind", usual) for turn in turns if turn.action]
        # `in` consumes the iterator up to the move that it finds, so the moves must occur in order.
        left = iter(kinds)
        if not all(kind in left for kind in one.moves[match]):
            made = ", ".join(one.moves[match])
            yield f"made the moves {made} in match {match + 1}, but its record has {', '.join(kinds)}"
        elif not seat["replacements"] and len(kinds) > len(one.moves[match]) + one.uncertain_moves[match]:
            yield f"made {len(one.moves[match])} moves in match {match + 1}, but its record has {len(kinds)}"

    def _record_problems(self) -> Iterator[str]:
        """Check that all records replay, and nobody has two seats in a match."""
        for record in self._exported.records.values():
            if problems := replay(record):
                yield f"match {record.id} does not replay: {problems[0]}"
            if record.status == "failed":
                yield f"match {record.id} has failed"
        for who, match in self._exported.duplicate_seats:
            yield f"participant {who} has two seats in match {match + 1}"


def _is_waiting_at(stay: Stay, match: int, when: float) -> bool:
    """Whether a stay is a wait for a match at a time and shortly before."""
    return stay[:2] == (WAITING, match) and stay.began < when - GRACE and stay.ended >= when


def _is_same_number(shown: str, kept: float) -> bool:
    """Whether a number on a page, in any language, equals a stored one up to rounding."""
    found = NUMERAL.search(shown)
    if found is None:
        return False
    *whole, last = re.split(r"[.,]", re.sub(r"[^\d.,]|[.,]$", "", found[0]))
    # In an unknown language the last separator may be one of thousands or of decimals.
    readings = [(f"{''.join(whole)}{last}", 0), (f"{''.join(whole)}.{last}", len(last))]
    # Half of the last digit shown, and 1e-9 for rounding errors of floats.
    return any(abs(float(text) - abs(kept)) <= 0.5 * 10**-digits + 1e-9 for text, digits in readings)
