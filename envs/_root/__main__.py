"""Command line. Each package defines its own commands, which are imported on first use."""

from __future__ import annotations

import atexit
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, ClassVar, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from econzoo import __version__
from econzoo.envs.core.contract import nearest_names, unknown_name

COMMANDS: dict[str, tuple[str, str]] = {
    "games": ("econzoo.baselines.commands:main", "List the games, or the agents of published studies."),
    "show": ("econzoo.evaluate.commands.show:main", "Show a game: rules, parameters, prompts, an example dialogue."),
    "play": ("econzoo.evaluate.commands.play:play", "Play matches between any players, people included."),
    "serve": ("econzoo.__main__:command_for", "Serve games to people in the browser, or to programs over a protocol."),
    "run": ("econzoo.evaluate.commands.run:command_for", "Play a game or a published suite and show the results."),
    "tournament": ("econzoo.evaluate.commands.run:command_for", "Alias of run GAME: cross-play of players."),
    "evaluate": ("econzoo.evaluate.commands.evaluate:evaluate", "Evaluate players against an opponent pool."),
    "exploit": (
        "econzoo.evaluate.commands.exploit:main",
        "Compute a policy's exploitability and NashConv.",
    ),
    "status": ("econzoo.evaluate.commands.status:main", "Show the progress of runs and trainings."),
    "replay": ("econzoo.evaluate.commands.replay:main", "Re-run the rules on recorded matches and check every payoff."),
    "analyze": ("econzoo.evaluate.commands.analyze:command_for", "Analyze records: tables, figures, pages."),
    "judge": (
        "econzoo.evaluate.commands.judge:judge",
        "Score recorded players on a rubric with model or human judges.",
    ),
    "convert": (
        "econzoo.evaluate.commands.convert:main",
        "Convert between published games, records and tables; publish to the Hub.",
    ),
    "new-game": (
        "econzoo.envs.new_game.command:new_game",
        "Create a new game from a template.",
    ),
    "quickstart": ("econzoo.train.rl.quickstart:main", "Play, train, evaluate and report in a minute."),
}
"""Commands: name to (function, help line)."""

TRAIN: dict[str, tuple[str, str]] = {
    "ppo": ("econzoo.train.rl.command:main", "Train one network with PPO to play a game in one or all seats."),
    "sft": ("econzoo.train.lm.sft:main", "Fine-tune a language model on recorded matches."),
    "dpo": ("econzoo.train.lm.dpo:main", "Fine-tune a language model with DPO on pairs of better and worse plays."),
    "iterate": (
        "econzoo.train.lm.iterate:main",
        "Fine-tune a language model on the best of its own matches, in rounds (expert iteration).",
    ),
    "grpo": ("econzoo.train.lm.grpo:main", "Fine-tune a language model with GRPO on its own play."),
    "tiny": ("econzoo.train.lm.tiny:main", "Build an untrained model of a million parameters, to try training."),
}
"""Subcommands of ``econzoo train``."""


STUDY: dict[str, tuple[str, str]] = {
    "init": ("econzoo.people.commands.study:init", "Write a commented study file, ready to run."),
    "plan": ("econzoo.people.commands.study:plan", "Show cost, duration, detectable effects and matching."),
    "test": ("econzoo.people.commands.study:test", "Test a study with simulated participants."),
    "export": (
        "econzoo.people.commands.study:export",
        "Export records, tables and payments (zip), or an oTree project.",
    ),
    "compare": ("econzoo.people.commands.study:compare", "Compare people with models in matched settings."),
    "forget": ("econzoo.people.commands.study:forget", "Remove a participant's identifying data."),
}
"""Subcommands of ``econzoo study``."""

SERVE: dict[str, tuple[str, str]] = {
    "openenv": ("econzoo.evaluate.commands.serve:openenv", "Serve a game as an OpenEnv environment."),
    "mcp": ("econzoo.evaluate.commands.serve:mcp", "Serve a game over the Model Context Protocol (MCP)."),
    "player": ("econzoo.evaluate.commands.serve:player", "Serve a player over HTTP."),
}
"""Subcommands of ``econzoo serve``; without one it serves people."""

PANELS: dict[str, tuple[str, ...]] = {
    "Games": ("games", "show"),
    "Players": ("play", "serve"),
    "Records and studies": (
        "run",
        "tournament",
        "evaluate",
        "exploit",
        "status",
        "replay",
        "analyze",
        "judge",
        "convert",
        "study",
    ),
    "Training": ("quickstart", "train"),
    "Working on EconZoo": ("new-game",),
}
"""Help panels: headings of docs/README.md to commands, in order."""


HELP = {"help_option_names": ["-h", "--help"]}
CommandUsageError: type[Any] = typer.BadParameter.__mro__[1]  # from the click version that typer uses


class LazyGroup(TyperGroup):
    """Command group that imports a command only to run it or show its help."""

    table: ClassVar[dict[str, tuple[str, str]]] = {}
    _is_listing = False
    _remaining_args: Sequence[str] = ()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return command names in the order of the help panels, or of the table."""
        ordered = [name for names in PANELS.values() for name in names]
        return sorted(self.table, key=lambda name: ordered.index(name) if name in ordered else 0)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Format the group's help from the help lines, without importing commands."""
        self._is_listing = True
        super().format_help(ctx, formatter)
        self._is_listing = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments up to the name of the command."""
        if args[:1] == ["--version"]:
            typer.echo(f"EconZoo {__version__}")
            ctx.exit()
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Resolve the command; the error for an unknown one suggests the nearest, or lists all."""
        if args and args[0] not in self.table and not args[0].startswith("-"):
            ctx.fail(unknown_name("command", args[0], self.table))
        self._remaining_args = args[1:]
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command, or a stub with its help line while listing."""
        if cmd_name not in self.table:
            return None
        where, line = self.table[cmd_name]
        if not self._is_listing:
            return load(cmd_name, where, self._remaining_args)
        panel = next((panel for panel, names in PANELS.items() if cmd_name in names), None)
        return TyperCommand(cmd_name, help=line, rich_help_panel=panel)


def load(name: str, where: str, rest: Sequence[str] = ()) -> Any:
    """Load the command at ``"module:attribute"``, which is a function or a group.

    Args:
        where: Import path; an attribute ``command_for`` is called with `rest` and returns the command.
    """
    module, _, attribute = where.partition(":")
    target = getattr(import_module(module), attribute)
    target = target(rest) if attribute == "command_for" else target
    if isinstance(target, TyperGroup):
        return target
    app = typer.Typer(add_completion=False, context_settings=HELP)
    app.command(name, cls=Command)(target)
    return typer.main.get_command(app)


class Command(TyperCommand):
    """Command whose repeatable options take several values, if it has no positional arguments."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        plain = any(param.param_type_name == "argument" for param in self.params)
        often = {name for param in self.params if getattr(param, "multiple", False) for name in param.opts}
        words = args if plain else repeat_options(args, often)
        try:
            return super().parse_args(ctx, [*words])
        except CommandUsageError as error:
            if hasattr(error, "option_name"):
                ctx.fail(self._unknown_option_message(error.option_name, words))
            raise

    def _unknown_option_message(self, name: str, words: list[str]) -> str:
        """Error message for an unknown option: nearest option, and the syntax of game parameters."""
        from econzoo.envs.core import game, games

        options = [option for param in self.params for option in getattr(param, "opts", ()) if option.startswith("-")]
        near = nearest_names(name, options)
        message = f"No such option {name!r}; {f'did you mean {near[0]}?' if near else 'see --help'}"
        played = next((one for one in words if one in games()), "")
        if near or not played or "-p" not in options:
            return message
        parameters = ", ".join(one.name for one in game(played).parameters)
        return f"{message}; set parameters of {played} with -p NAME=VALUE: {parameters}"


def repeat_options(args: list[str], repeatable: set[str]) -> list[str]:
    """Expand ``--x a b`` to ``--x a --x b``."""
    out: list[str] = []
    option, first = "", False
    for arg in args:
        # The first word after a repeatable option is its value, whatever it begins with.
        if not first and arg.startswith("-"):
            option, first = arg if arg in repeatable else "", arg in repeatable
        else:
            out += [option] if option and not first else []
            first = False
        out.append(arg)
    return out


def group(name: str, table: dict[str, tuple[str, str]], text: str) -> LazyGroup:
    """Create a command group from `table`."""
    kind = type("Group", (LazyGroup,), {"table": table})
    return kind(name=name, help=text, no_args_is_help=True, rich_markup_mode="rich", context_settings=HELP)


TRAIN_GROUP = group(
    "train", TRAIN, "Train agents: PPO for RL policies; SFT, DPO, expert iteration and GRPO for language models."
)
STUDY_GROUP = group("study", STUDY, "Studies with human participants: design, plan, test, export.")
SERVE_GROUP = group("serve", SERVE, "Serve games and players to other programs.")
COMMANDS["study"] = ("econzoo.__main__:STUDY_GROUP", "Studies with human participants: design, plan, test, export.")
COMMANDS["train"] = ("econzoo.__main__:TRAIN_GROUP", "Train an agent: ppo, sft, dpo, iterate or grpo.")

APP = group(
    "econzoo",
    COMMANDS,
    "EconZoo: economic games for agents that talk, trade and commit.\n\n"
    "Start with [bold]econzoo quickstart[/bold], or [bold]econzoo play bargaining human fair[/bold].",
)


def command_for(args: Sequence[str]) -> Any:
    """Return the ``econzoo serve`` group if a subcommand follows, else the command that serves people."""
    if args and args[0] in SERVE:
        return SERVE_GROUP
    return import_module("econzoo.people.commands.serve").serve


INTERRUPTED_EXIT_CODE = 130
"""Exit code after Ctrl-C."""


def main(arguments: list[str] | None = None) -> Any:
    """Run the command line; `arguments` default to those of the process, which Ctrl-C then ends at once.

    Exit codes: 2 for usage errors; 1, with one line on standard error, for errors that a user can fix (an invalid
    value, a missing file or library, a model that does not respond); 3 for a run in which all matches failed; 4 for
    a run that reached its budget.
    """
    from econzoo.envs.core.record import record_command

    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        _escape_unprintable_output()
        # A cluster that ends a job: trainings save a checkpoint, runs their records, as at Ctrl-C.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with record_command(["econzoo", *words]):
            return APP.main(args=arguments, prog_name="econzoo")
    except SystemExit as ended:
        if isinstance(ended.__context__.__cause__ if ended.__context__ else None, KeyboardInterrupt):
            print("stopped", file=sys.stderr)  # what it was doing has nothing to say
        if arguments is None and ended.code == INTERRUPTED_EXIT_CODE:
            _exit_at_once()
        raise
    except Exception as error:
        if not isinstance(error, user_error_types()):
            raise
        from econzoo.envs.core.contract import clean
        from econzoo.envs.core.record import strip_secrets

        print(f"econzoo: {clean(strip_secrets(describe_error(error)))}", file=sys.stderr)
        raise SystemExit(getattr(error, "exit_code", 1)) from None


def _escape_unprintable_output() -> None:
    """Escape characters that the output encoding lacks (Windows pipes, old terminals) instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _exit_at_once() -> NoReturn:
    """Exit without library teardown, which takes seconds for torch."""
    # What os._exit would skip: registered functions, and buffered output.
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(INTERRUPTED_EXIT_CODE)


def describe_error(error: Exception) -> str:
    """Format an error; for a missing library with the install command, for a path with what is expected."""
    from econzoo.envs.core import DISK_FULL_ERRORS, escape_name, missing_library_error

    if isinstance(error, ModuleNotFoundError):
        return str(missing_library_error(error, "this command"))
    path = escape_name(getattr(error, "filename", None) or "the output")
    if isinstance(error, IsADirectoryError):
        return f"{path} is a folder: expected a file"
    if isinstance(error, NotADirectoryError | FileExistsError):
        return f"{path} is a file or lies in one: expected a folder"
    if isinstance(error, OSError) and error.errno in DISK_FULL_ERRORS:
        return f"{path}: no space left on device; free some and rerun the command to resume"
    if isinstance(error, PermissionError):
        return f"{path}: permission denied; choose a path that you can read and write"
    return str(error)


def user_error_types() -> tuple[type[Exception], ...]:
    """Exceptions whose message is meant for the user."""
    from econzoo.baselines import BudgetSpentError, ModelError, PlayerLeft
    from econzoo.evaluate.run import StoppedError

    return ValueError, OSError, ImportError, ModelError, PlayerLeft, StoppedError, BudgetSpentError


if __name__ == "__main__":
    main()
