"""Small games in the form in which ALYMPICS publishes its own, written by hand: three days of a town of two."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field

NEEDS = {"Alex": (3, 10), "Bob": (4, 12)}
"""Units and dollars a day."""


@dataclass
class Day:
    """A day as the file tells it: nothing in it need be true."""

    supply: int
    bids: dict
    winners: list
    evening: dict


@dataclass
class Game:
    """What the chats say; tests change what they are about. `second` chooses the other wording."""

    days: list
    supply: tuple = (3, 7)
    length: int = 3
    health: tuple = (3, 5)
    persona: bool = False
    second: bool = False
    answers: dict = field(default_factory=dict)

    def copy(self):
        return copy.deepcopy(self)

    def rules(self, name):
        (first, most), (low, high) = self.health, self.supply
        who = ["Your Profession: baker", "Your Personality: calm"] if self.persona else []
        lines = [
            f"You are {name}.",
            *who,
            f"The drought lasts {self.length} days, and a day brings between {low} and {high} units.",
            f"You have a maximum of {most} health points and start with {first} health points.",
            *(f"{n}: Water requirement - {u} units/day; Daily Salary- ${s}/day" for n, (u, s) in NEEDS.items()),
        ]
        return "\n".join(lines)

    def ask(self, name, number, day, state):
        pay = "Today's pay is in it. " if self.second else ""
        return f"{name}, this is Day {number}: {day.supply} units. {pay}You:\n{line(name, state)}\nWhat do you bid?"

    def result(self, number, day):
        bids = ", ".join(f"{name} bid {amount}" for name, amount in day.bids.items())
        states = "\n".join(line(name, state) for name, state in day.evening.items())
        winners = ", ".join(day.winners)
        return f"Round {number}: {bids}.\nThe supply is {day.supply}. By the rules {winners} won. Now: {states}"

    def chats(self):
        return {key: self.chat(name) for key, name in zip("AB", NEEDS, strict=True)}

    def chat(self, name):
        units = self.health[0]
        balance, health, counter = 0, units, 1
        messages = [("system", self.rules(name))]
        for number, day in enumerate(self.days, start=1):
            if name in day.bids:
                balance += NEEDS[name][1]
                reply = self.answers.get((name, number), f"I think ${day.bids[name]} will do.")
                messages.append(("system", self.ask(name, number, day, (balance, health, counter))))
                messages.append(("assistant", reply))
                messages.append(("system", self.result(number, day)))
                balance, health, counter = day.evening[name]
                if health <= 0:
                    messages.append(("system", f"{name} is out."))
        return [{"role": role, "content": content} for role, content in messages]

    def save(self, folder, name="WAC_nopersona_3_7_1"):
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.json"
        path.write_text(json.dumps(self.chats()))
        return path


def line(name, state):
    balance, health, counter = state
    return f"NAME:{name}\tBALANCE:{balance}\tHEALTH POINT:{health}\tNO_DRINK:{counter}"


def by_the_rules():
    """Three days, each number by hand.

    1: 5 units. Bob bids more and takes 4; one unit is left for Alex, who needs 3.
    2: 7 units, equal bids: Alex needs less and is first, and the rest is exactly what Bob needs.
    3: 3 units. Alex bids more than the 21 dollars it has, which is void; Bob needs 4: nobody is served.
    """
    return Game(
        [
            Day(5, {"Alex": 4, "Bob": 6}, ["Bob"], {"Alex": (10, 2, 2), "Bob": (6, 5, 1)}),
            Day(7, {"Alex": 9, "Bob": 9}, ["Alex", "Bob"], {"Alex": (11, 4, 1), "Bob": (9, 5, 1)}),
            Day(3, {"Alex": 30, "Bob": 5}, ["no one"], {"Alex": (21, 3, 2), "Bob": (21, 4, 2)}),
        ]
    )


def with_a_death():
    """Alex begins with one health point and dies on day 1; Bob plays on."""
    return Game(
        [
            Day(4, {"Alex": 2, "Bob": 5.5}, ["Bob"], {"Alex": (10, 0, 2), "Bob": (6.5, 3, 1)}),
            Day(4, {"Bob": 0}, ["Bob"], {"Bob": (18.5, 5, 1)}),
        ],
        length=2,
        health=(1, 5),
    )


def tie_fault():
    """Day 2 as the early runner played ties: the first of the tied is taken twice, the other one goes dry."""
    game = by_the_rules()
    game.days[1].winners = ["Alex", "Alex"]
    game.days[1].evening["Bob"] = (18, 4, 2)
    game.days[2].evening["Bob"] = (30, 2, 3)
    return game
