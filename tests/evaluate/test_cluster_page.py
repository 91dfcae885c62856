"""What docs/cluster.md prints: scripts, on a real SLURM with one node where one can be started, and a manifest."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from econzoo.envs.core.record import read_record_file

ROOT = Path(__file__).parents[2]
PROGRAMS = ("slurmctld", "slurmd", "sbatch", "munged")
PATH = f"{os.environ['PATH']}:/usr/sbin"

with_slurm = pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0 or any(shutil.which(one, path=PATH) is None for one in PROGRAMS),
    reason="needs root, and slurmctld, slurmd, slurm-client and munge",
)

pytestmark = pytest.mark.repo

WAIT = 'while [ -n "$(squeue -h)" ]; do sleep 1; done'

ARRAY = f"""
job=$(sbatch --parsable --hold shards.sbatch)
scancel "${{job}}_1"
scontrol release "$job"
{WAIT}
econzoo status runs/shards --json >first.json
sbatch --array=1 shards.sbatch
{WAIT}
econzoo status runs/shards --json >second.json
"""


def script(name: str) -> str:
    """The script of the page with the name of a job."""
    (one,) = [text for text in blocks("text") if f"--job-name={name}\n" in text]
    return one


def blocks(language: str) -> list[str]:
    """The blocks of the page in a language."""
    text = (ROOT / "docs" / "cluster.md").read_text()
    return [found for _, found in re.findall(rf"```({language})\n(.*?)```", text, re.DOTALL)]


def beside_slurm(folder: Path, commands: str) -> None:
    """Runs commands beside a SLURM, with this interpreter's ``econzoo`` and ``python``."""
    programs = folder / "bin"
    programs.mkdir()
    for name, words in {"econzoo": "-m econzoo", "python": ""}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        (programs / name).chmod(0o755)
    path = f"{programs}:{Path(sys.executable).parent}:{PATH}"
    env = {**os.environ, "PATH": path, "RAY_worker_niceness": "0"}
    done = subprocess.run(
        ["timeout", "3600", ROOT / ".ci" / "slurm", "bash", "-euc", commands],  # whose signal ends its daemons too
        check=False,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    logs = "".join(path.read_text() for path in folder.glob("slurm-*.out"))
    assert done.returncode == 0, done.stdout + logs


@pytest.mark.long
@with_slurm
def test_an_array_of_shards_of_which_a_task_is_cancelled(tmp_path: Path) -> None:
    """What is missing is the shard of that task, and the task sent again plays it: every match is there once."""
    (tmp_path / "shards.sbatch").write_text(script("shards"))
    beside_slurm(tmp_path, ARRAY)
    ((first,), (second,)) = (json.loads((tmp_path / name).read_text()) for name in ("first.json", "second.json"))
    assert 0 < first["missing"] < first["planned"] / 2
    assert second["missing"] == second["failed"] == 0
    files = sorted((tmp_path / "runs/shards").glob("records*.jsonl"))
    assert [file.name for file in files] == [f"records-{part}-of-4.jsonl" for part in range(4)]
    ids = [record.id for file in files for record in read_record_file(file)]
    assert len(ids) == len(set(ids)) == second["planned"] == 16 * 200


@pytest.mark.long
@with_slurm
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra cluster")
def test_ray_in_an_allocation(tmp_path: Path) -> None:
    (tmp_path / "ray.sbatch").write_text(script("ray"))
    beside_slurm(tmp_path, f"sbatch --nodes=1 --cpus-per-task=1 ray.sbatch\n{WAIT}")
    ids = [record.id for record in read_record_file(tmp_path / "runs/ray/records.jsonl")]
    assert len(ids) == len(set(ids)) == 16 * 200, (tmp_path / "slurm-1.out").read_text()


FIELDS = {
    "spec": {"entrypoint", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "backoffLimit", "rayClusterSpec"},
    "cluster": {"rayVersion", "headGroupSpec", "workerGroupSpecs"},
    "head": {"rayStartParams", "template"},
    "workers": {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"},
}
"""Names that KubeRay's documentation of ``ray.io/v1`` has, those of the page."""


def test_the_manifest_of_a_ray_job() -> None:
    yaml = pytest.importorskip("yaml")
    (job,) = [found for text in blocks("yaml") if (found := yaml.safe_load(text)).get("kind") == "RayJob"]
    assert (job["apiVersion"], job["kind"], list(job["metadata"])) == ("ray.io/v1", "RayJob", ["name"])
    cluster = job["spec"]["rayClusterSpec"]
    head, (workers,) = cluster["headGroupSpec"], cluster["workerGroupSpecs"]
    found = {"spec": job["spec"], "cluster": cluster, "head": head, "workers": workers}
    assert {key: set(value) for key, value in found.items()} == FIELDS
    for group in (head, workers):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        (container,) = group["template"]["spec"]["containers"]
        assert container["resources"]["limits"] == container["resources"]["requests"]
    volumes, mounts = (head["template"]["spec"]["volumes"], head["template"]["spec"]["containers"][0]["volumeMounts"])
    assert [one["name"] for one in volumes] == [one["name"] for one in mounts]
    assert job["spec"]["entrypoint"].split("--out ")[1].startswith(mounts[0]["mountPath"])
