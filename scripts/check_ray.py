#!/usr/bin/env python3
"""Trains on a Ray cluster of several nodes on this machine: the node of a worker is killed, then the trainer's. The run
must be that of a single process without Ray, byte for byte. Then Ctrl-C, ASHA, and population-based training.

    pip install -r scripts/ray-requirements.txt crownhead
    scripts/check_ray.py target/release/crownhead
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

os.environ |= {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}

import ray
from check_fleet import TINY, ask, same
from ray import tune
from ray.cluster_utils import Cluster

import crownhead.ray

GAMES = {"selfplay.games_per_generation": 300, "rating.every_generations": 2}


def until(ready, what, seconds=240):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = ready()
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {seconds} s")


def processes(*words):
    """The living processes whose command line begins with these words."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if tuple(command[: len(words)]) == words:
            found[int(folder.name)] = parent
    return found


def node_of(cluster, parent):
    """The node whose raylet has started a process of Ray."""
    while parent > 1:
        for node in cluster.worker_nodes:
            if any(each.process.pid == parent for each in node.all_processes["raylet"]):
                return node
        parent = int(Path(f"/proc/{parent}/stat").read_text().rsplit(")", 1)[1].split()[1])
    raise AssertionError("no node has started it")


def kill_node(cluster, program, role):
    """Kills the node of a process, which has to go too."""
    pid, parent = until(lambda: list(processes(program, role).items()), f"a {role}")[0]
    cluster.remove_node(node_of(cluster, parent), allow_graceful=False)
    until(lambda: pid not in processes(program, role), f"the end of the {role} of a killed node", 30)
    print(f"killed the node of the {role}", flush=True)


def status(program, place):
    answer = subprocess.run([program, "fleet", "status", place, "--format", "json"], capture_output=True)
    return ask(program, "fleet", "status", place) if answer.returncode == 0 else {"workers": [], "generation": 0}


def torment(cluster, program, place):
    """Kills the node of a worker, then the trainer's; adds a node. Returns the workers that have played."""
    played = lambda: {worker["name"] for worker in status(program, place)["workers"] if worker["games"] > 0}
    seen = until(played, "a worker that plays")
    kill_node(cluster, program, "worker")
    until(lambda: status(program, place)["generation"] >= 2, "generation 2")
    kill_node(cluster, program, "train")
    until(lambda: processes(program, "train"), "another trainer")
    cluster.add_node(num_cpus=1)
    return seen | until(lambda: played() - seen, "a new worker")


def metrics(name):
    """The values of a metric on all nodes."""
    lines = []
    for node in ray.nodes():
        try:
            address = f"http://127.0.0.1:{node['MetricsExportPort']}/metrics"
            lines += urllib.request.urlopen(address, timeout=5).read().decode().splitlines()
        except OSError:
            continue  # A killed node.
    return [float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"ray_{name}{{")]


def check_nodes_die(cluster, program, folder):
    """A run whose nodes die is the one of one machine."""
    place, generations = str(folder / "together"), 6
    order = {"storage": place, "generations": generations, "preset": "tiny", "settings": GAMES, "program": program}
    with ThreadPoolExecutor(1) as pool:
        training = pool.submit(crownhead.ray.train, "english", **order)
        seen = torment(cluster, program, place)
        until(lambda: metrics("crownhead_generation"), "metrics", 60)
        end = training.result()
    assert end["newest"] == generations, end
    alone(program, folder / "alone", generations)
    differ = same(program, folder / "together", folder / "alone")
    assert not differ, f"{differ} differ"
    assert len(seen) >= 2, seen
    assert not processes(program, "worker") and not processes(program, "train")
    print(f"{generations} generations on nodes that died are those of one machine; {len(seen)} workers have played")


def alone(program, run, generations, *more):
    train = [program, "train", "english", *TINY, *more, "--threads", "1", "--run", str(run)]
    subprocess.run([*train, "--generations", str(generations)], check=True, capture_output=True)


def check_command(cluster, program, folder):
    """Ctrl-C ends everything, and the same command resumes."""
    place = folder / "command"
    settings = [word for key, value in GAMES.items() for word in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "crownhead.ray", "train", "english", "--preset", "tiny", *settings]
    command += ["--storage", str(place), "--program", program, "--workers", "1", "--address", cluster.address]
    ray.shutdown()
    driver = subprocess.Popen([*command, "--generations", "1000"], stderr=subprocess.PIPE, text=True)
    until(lambda: status(program, str(place))["generation"] >= 2, "generation 2")
    before = status(program, str(place))["generation"]
    driver.send_signal(signal.SIGINT)
    told = driver.communicate(timeout=120)[1]
    assert driver.returncode == 130 and "The same command resumes" in told, (driver.returncode, told)
    assert not processes(program, "worker") and not processes(program, "train")
    last = ask(program, "status", str(place))["status"]["newest"] + 1
    assert last <= before + 2, (before, last)
    subprocess.run([*command, "--generations", str(last)], check=True, timeout=300)
    alone(program, folder / "command-alone", last)
    differ = same(program, place, folder / "command-alone")
    assert not differ, f"{differ} differ"
    bad = subprocess.run([*command, "--generations", "9", "--set", "no.such=1"], capture_output=True, text=True)
    assert bad.returncode == 1 and "no.such" in bad.stderr, bad
    ray.init(address=cluster.address, log_to_driver=False)
    print(f"Ctrl-C after generation {last - 1} ended everything; the run resumed")


def check_tune(program, folder):
    """Trials are ordinary runs, which ASHA stops early and population-based training forks."""
    rates = {"train.learning_rate": tune.grid_search([0.002, 0.001, 0.0005])}
    asha = tune.schedulers.ASHAScheduler(time_attr="generation", grace_period=1, reduction_factor=2, max_t=3)
    order = {"preset": "tiny", "program": program}
    results = crownhead.ray.tune("english", rates, folder=str(folder / "asha"), generations=3, scheduler=asha, **order)
    assert not results.errors and len(results) == 3, results.errors
    reached = sorted(result.metrics["generation"] for result in results)
    assert reached[-1] == 3 and reached[0] < 3, reached
    best = results.get_best_result("generation", "max")
    rate = best.config["train.learning_rate"]
    plain = [program, "train", "english", "--preset", "tiny", "--set", f"train.learning_rate={rate}"]
    subprocess.run([*plain, "--generations", "3", "--run", str(folder / "plain")], check=True, capture_output=True)
    name = "models/000003/model.safetensors"
    assert (Path(best.metrics["run"]) / name).read_bytes() == (folder / "plain" / name).read_bytes()
    print(f"ASHA stopped trials after {reached} generations; a trial is the run of `crownhead train`")

    population = tune.schedulers.PopulationBasedTraining(
        time_attr="generation",
        perturbation_interval=2,
        hyperparam_mutations={"train.learning_rate": tune.loguniform(1e-4, 1e-2)},
        quantile_fraction=0.5,
        synch=True,
    )
    rates = {"train.learning_rate": tune.grid_search([0.002, 0.0001])}
    place = folder / "population"
    results = crownhead.ray.tune(
        "english", rates, folder=str(place), generations=6, scheduler=population, settings=GAMES, **order
    )
    assert not results.errors, results.errors
    forks = [result.metrics["run"] for result in results if Path(result.metrics["run"]).name.startswith("from-")]
    assert forks and all(result.metrics["generation"] == 6 for result in results), list(results)
    ask(program, "check", forks[0])
    print(f"population-based training has forked {len(forks)} of {len(results)} runs")


def main():
    program = os.path.abspath(sys.argv[1])
    # A shell ignores it for its jobs in the background, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Only the driver is on the first node.
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    try:
        for _ in range(3):
            cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        with tempfile.TemporaryDirectory(prefix="crownhead-ray-") as folder:
            folder = Path(folder)
            check_nodes_die(cluster, program, folder)
            check_command(cluster, program, folder)
            check_tune(program, folder)
    finally:
        ray.shutdown()
        cluster.shutdown()


if __name__ == "__main__":
    main()
