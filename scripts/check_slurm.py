#!/usr/bin/env python3
"""Trains through a Slurm of its own on this machine: slurmctld, slurmd and munged in a scratch folder, as root. The trainer
and a worker are queued again by an operator and at their time limit, and preempted by a job that needs all
processors. The run must be that of a single process, byte for byte.

    apt-get install slurm-wlm munge
    scripts/check_slurm.py target/release/crownhead
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from check_fleet import TINY, ask, same

GENERATIONS = 12
CONFIGURATION = """
ClusterName=check
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
OverTimeLimit=0
KillWait=5
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=spare Nodes=ALL Default=YES PriorityTier=1
PartitionName=urgent Nodes=ALL PriorityTier=10
"""


def until(ready, what, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = ready()
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {seconds} s")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def tell(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


class Slurm:
    """The daemons of a cluster with one node, which has four processors by its configuration."""

    def __init__(self, place):
        self.daemons = []
        host = socket.gethostname().split(".")[0]
        text = CONFIGURATION.format(place=place, host=host, controller=free_port(), daemon=free_port())
        (place / "slurm.conf").write_text(text)
        (place / "munge.key").write_bytes(os.urandom(128))
        (place / "munge.key").chmod(0o400)
        os.environ["SLURM_CONF"] = str(place / "slurm.conf")
        names = {"socket": "munge.socket", "key-file": "munge.key", "pid-file": "munge.pid", "seed-file": "munge.seed"}
        files = [f"--{option}={place}/{name}" for option, name in names.items()]
        self.start("munged", "--foreground", "--force", *files, f"--log-file={place}/munge.log")
        until((place / "munge.socket").exists, "the socket of munge", 20)
        self.start("slurmctld", "-D", "-f", place / "slurm.conf")
        self.start("slurmd", "-D", "-f", place / "slurm.conf")
        until(lambda: "idle" in subprocess.run(["sinfo", "-h"], capture_output=True, text=True).stdout, "a node", 60)

    def start(self, name, *arguments):
        program = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        self.daemons.append(subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT))

    def close(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            daemon.wait(timeout=60)


def states(*jobs):
    """The states of the jobs that are not over."""
    answer = subprocess.run(["squeue", "-h", "-o", "%T", f"--jobs={','.join(jobs)}"], capture_output=True, text=True)
    return answer.stdout.split()


def restarts(job):
    """How often a job was queued again."""
    shown = tell("scontrol", "show", "job", job)
    return int(shown.split(" Restarts=")[1].split()[0])


def hurry(*jobs):
    """A job that was queued again starts after two minutes otherwise."""
    for job in jobs:
        subprocess.run(["scontrol", "update", f"JobId={job}", "StartTime=now"], capture_output=True)
    return True


def resumed(ready, what, *jobs, seconds=240):
    """Waits for jobs that were queued again to have done something."""
    # slurmd refuses a job that starts in the very second of its requeue: "Job credential revoked".
    time.sleep(3)
    until(lambda: hurry(*jobs) and ready(), what, seconds)


def check(program, folder):
    together = folder / "together"
    status = lambda: json.loads((together / "status.json").read_bytes())["generation"] if (together / "status.json").exists() else 0
    workers = lambda: ask(program, "fleet", "status", str(together))["workers"]
    words = ["fleet", "submit", "english", str(together), "--slurm", "--workers", "2", "--cpus", "1", "--time", "10"]
    train = ["--", *TINY, "--generations", str(GENERATIONS)]
    shown = tell(program, *words, "--dry-run", *train)
    assert shown.count("#SBATCH --time=10") == 2, shown
    jobs = json.loads(tell(program, *words, "--partition", "spare", "--format", "json", *train))
    trainer, array = jobs["trainer"], jobs["workers"]
    until(lambda: status() >= 2, "generation 2")
    until(lambda: any(worker["games"] > 0 for worker in workers()), "a worker that plays")

    tell("scontrol", "requeue", trainer)
    tell("scontrol", "requeue", f"{array}_1")
    assert restarts(trainer) == 1
    before = status()
    resumed(lambda: status() >= before + 2, "two more generations", trainer, f"{array}_1")
    print(f"queued again by the operator at generation {before}")

    before = status()
    urgent = tell("sbatch", "--parsable", "--partition=urgent", "--cpus-per-task=4", "--wrap=sleep 3")
    until(lambda: states(urgent) == ["RUNNING"], "the urgent job")
    assert "RUNNING" not in states(trainer, array), states(trainer, array)
    assert restarts(trainer) == 2
    resumed(lambda: status() >= before + 2, "two more generations", trainer, f"{array}_1", f"{array}_2")
    print(f"preempted at generation {before}")

    # What Slurm sends a minute before the time limit.
    before = status()
    tell("scancel", "--batch", "--signal=USR1", trainer)
    until(lambda: restarts(trainer) == 3, "the trainer queues itself again", 60)
    resumed(lambda: not states(trainer, array), "the end", trainer, seconds=400)
    assert status() >= before
    print(f"queued again at the time limit in generation {before}")

    ended = tell("scontrol", "show", "job", trainer)
    assert "JobState=COMPLETED" in ended and "ExitCode=0:0" in ended, ended
    fleet = ask(program, "fleet", "status", str(together))
    assert fleet["is_over"] and fleet["findings"] == [], fleet
    alone = [program, "train", "english", *TINY, "--run", str(folder / "alone"), "--generations", str(GENERATIONS)]
    subprocess.run(alone, check=True, capture_output=True)
    differ = same(program, together, folder / "alone")
    assert not differ, f"{differ} differ"
    games = sum(worker["games"] for worker in fleet["workers"])
    print(f"{GENERATIONS} generations are those of one machine; the last workers have played {games} games")


def main():
    program = os.path.abspath(sys.argv[1])
    folder = Path(tempfile.mkdtemp(prefix="crownhead-slurm-"))
    # The logs of jobs are in the directory from which they are submitted.
    os.chdir(folder)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    slurm = Slurm(folder)
    try:
        check(program, folder)
    except BaseException:
        print(f"the logs are in {folder}", file=sys.stderr)
        raise
    finally:
        slurm.close()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
