"""The command ``python -m crownhead.ray``."""

import argparse
import sys

import ray

from .. import CrownheadError
from ._train import train


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m crownhead.ray", description="Training on a Ray cluster.")
    command = parser.add_subparsers(dest="command", required=True).add_parser(
        "train",
        help="train a run on the cluster, or resume it",
        description="Trains a run on a Ray cluster, or resumes it. help(crownhead.ray.train) says more.",
    )
    command.add_argument("variant", help="the game")
    command.add_argument("--storage", required=True, metavar="URL", help="a directory that all nodes see, or a bucket")
    end = command.add_mutually_exclusive_group(required=True)
    end.add_argument("--generations", type=int, metavar="N", help="train until the run has this many generations")
    end.add_argument("--for", dest="duration", metavar="TIME", help="train for 90s, 45m or 1h30m")
    command.add_argument("--workers", default="auto", metavar="N", help='number of workers [default: "auto"]')
    command.add_argument("--worker-cpus", type=int, default=1, metavar="N", help="cores of a worker [default: 1]")
    command.add_argument("--trainer-cpus", type=int, default=1, metavar="N", help="cores of the trainer [default: 1]")
    command.add_argument("--preset", metavar="NAME", help="preset with initial settings")
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="one setting")
    command.add_argument("--run", metavar="DIR", help="directory of the run [default: the storage]")
    command.add_argument("--program", metavar="FILE", help="the program on the nodes [default: crownhead]")
    command.add_argument("--address", metavar="ADDRESS", help="the cluster [default: RAY_ADDRESS, or a local one]")
    asked = vars(command.parse_args(sys.argv[2:]) if sys.argv[1:2] == ["train"] else parser.parse_args())
    asked.pop("command", None)
    for pair in asked["set"]:
        if "=" not in pair:
            command.error(f"--set {pair}: write KEY=VALUE")
    asked["settings"] = dict(pair.split("=", 1) for pair in asked.pop("set"))
    if asked["workers"].isdigit():
        asked["workers"] = int(asked["workers"])
    ray.init(address=asked.pop("address"))
    try:
        status = train(asked.pop("variant"), **asked)
    except (CrownheadError, ray.exceptions.RayError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; all finished work is saved. The same command resumes.", file=sys.stderr)
        return 130
    print(f"Trained {status['newest']} generations, {status['games']} games.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
