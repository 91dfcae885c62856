"""How long matches of served models take, beside Inspect's time for the same matches with the same server.

    python benchmarks/served.py [--repeats 3]

The server is a process of its own on 127.0.0.1, which answers bargaining after a fixed time. Two kinds of work: 80
matches of one model, every tenth of whose calls takes 3 s and the others 0.05 s, with 64 calls at once; and 80 matches
of four models whose calls take 1 s. The first is also done by Inspect with the package's own task, in turns with ours,
where `inspect_ai` is installed. Seconds are those of whole processes, and those without start and imports.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

MODELS = ("m1", "m2", "m3", "m4")
OPPONENT = "greedy(0.9)"


class Took(NamedTuple):
    """Seconds of a whole process, and of its matches; calls that it made."""

    process: float
    matches: float
    calls: int


def delay(model: str, number: int) -> float:
    """Returns the seconds that a call takes."""
    return 1.0 if model in MODELS else 3.0 if number % 10 == 7 else 0.05


class Handler(BaseHTTPRequestHandler):
    """Answers as an OpenAI-compatible server; a get returns the number of calls so far."""

    protocol_version = "HTTP/1.1"
    numbers, calls = count(), 0

    def do_POST(self) -> None:
        """Rejects every offer, and makes one that is rejected."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        number = next(self.numbers)
        type(self).calls = number + 1
        time.sleep(delay(request["model"], number))
        text = json.dumps(request["messages"][-1]["content"])
        move = '{"kind": "offer", "gain": 9900}' if "propose a division" in text else '{"kind": "reject"}'
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": move}}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        self._send({"id": "x", "object": "chat.completion", "created": 0, "choices": [choice], "usage": usage})

    def do_GET(self) -> None:
        """Tells the number of calls."""
        self._send(self.calls)

    def _send(self, body: Any) -> None:
        raw = json.dumps({"model": "m", **body} if isinstance(body, dict) else body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        """Keeps quiet."""


def serve() -> None:
    """Serves until standard input ends."""

    class Server(ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 256

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    sys.stdin.read()


def play(url: str, names: tuple[str, ...], concurrency: int, seeds: int, horizon: int) -> None:
    """Plays a tournament of served models against a script, as the command does."""
    from econzoo.evaluate.run import new_design, run

    specs = [f"openai:{name}@{url}?concurrency={concurrency}" for name in names]
    setting = {"horizon": horizon, "messages": False}
    design = new_design("bargaining", specs, [setting], seeds, opponents=[OPPONENT])
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        run(design, folder)
    print(f"matches took {time.perf_counter() - begun}")


def play_in_inspect(url: str, concurrency: int, seeds: int, horizon: int) -> None:
    """Evaluates the package's task of Inspect on the same matches."""
    from inspect_ai import eval as evaluate

    from econzoo.evaluate.adapters import inspect_task

    task = inspect_task("bargaining", opponents=OPPONENT, seeds=seeds, horizon=horizon, messages=False)
    how = {"max_connections": concurrency, "max_samples": 2 * seeds, "display": "none"}
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        (log,) = evaluate(task, model="openai-api/local/plain", model_base_url=url, log_dir=folder, **how)
    assert log.status == "success", log.error
    print(f"matches took {time.perf_counter() - begun}")


def measure(url: str, *work: str) -> Took:
    """Runs this script with some work as a process of its own."""
    from urllib.request import urlopen

    def calls() -> int:
        with urlopen(url) as answer:
            return int(answer.read())

    before, begun = calls(), time.perf_counter()
    keys = {"OPENAI_API_KEY": "none", "LOCAL_API_KEY": "none"}
    done = subprocess.run(
        [sys.executable, __file__, "--url", url, "--work", *work],
        check=False, capture_output=True, text=True, env={**os.environ, **keys},
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    found = re.search(r"matches took ([\d.]+)", done.stdout)
    if found is None:
        raise SystemExit(done.stderr)
    return Took(seconds, float(found[1]), calls() - before)


def show(name: str, took: list[Took]) -> None:
    """Prints medians."""
    whole, matches = (statistics.median(seconds) for seconds in list(zip(*took, strict=True))[:2])
    print(f"{name:36}{took[0].calls:7}{whole:14.1f}{matches:12.1f}")


def main() -> None:
    """Prints the seconds, and the ratios to Inspect's."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=1, help="measurements of each")
    parser.add_argument("--seeds", type=int, default=40, help="half of the matches")
    parser.add_argument("--url", default="", help=argparse.SUPPRESS)
    parser.add_argument("--work", nargs="*", default=(), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        name, *numbers = args.work
        if name == "serve":
            serve()
        elif name == "inspect":
            play_in_inspect(args.url, *map(int, numbers))
        else:
            play(args.url, tuple(name.split(",")), *map(int, numbers))
        return
    command = [sys.executable, str(Path(__file__)), "--work", "serve"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None, "it has a pipe"
        compare(server.stdout.readline().strip(), args.repeats, args.seeds)
        server.communicate()


def compare(url: str, repeats: int, seeds: int) -> None:
    """Measures and prints."""
    works = {"tail": ("plain", "64", str(seeds), "6"), "Inspect": ("inspect", "64", str(seeds), "6")}
    if find_spec("inspect_ai") is None:
        del works["Inspect"]
    works["four models"] = (",".join(MODELS), "32", str(max(seeds // 4, 1)), "4")
    found: dict[str, list[Took]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            found[name].append(measure(url, *work))
    print(f"{'':36}{'calls':>7}{'whole process':>14}{'matches':>12}  seconds")
    show("one model, a tenth of calls is slow", found["tail"])
    if "Inspect" in found:
        show("the same in Inspect", found["Inspect"])
    show("four models, 1 s a call", found["four models"])
    if "Inspect" in found:
        whole, matches = (
            statistics.median(ours[at] / other[at] for ours, other in zip(found["tail"], found["Inspect"], strict=True))
            for at in (0, 1)
        )
        print(f"beside Inspect: {whole:.2f} of its time, {matches:.2f} without start and imports")
    else:
        print("Inspect is not installed (pip install inspect_ai): not measured")


if __name__ == "__main__":
    main()
