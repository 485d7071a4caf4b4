"""Ray Tune over the settings of a run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ray import tune as ray_tune

from .. import Run
from ._program import find, options, run


class Trial(ray_tune.Trainable):
    """A run that trains one generation a step and reports ``elo``, ``elo_ci95`` and ``generation``.

    The configuration of a trial is its settings. A trial that takes over another one's state, as in population-based
    training, is a fork of the other run with its own settings.
    """

    def setup(
        self,
        config: dict[str, Any],
        variant: str = "",
        folder: str = "",
        generations: int = 0,
        settings: Mapping[str, Any] | None = None,
        preset: str | None = None,
        program: str | None = None,
    ) -> None:
        self._variant, self._generations, self._program = variant, generations, program
        # Each step ends with a rating.
        self._settings = {"rating.every_generations": 1} | dict(settings or {})
        self._preset = preset
        self._place = Path(folder) / self.trial_id
        self._asked = dict(config)
        self._run = self._place / "run"

    def step(self) -> dict[str, Any]:
        """Trains a generation."""
        # A trial that was moved to another node has the generation already.
        generation = self.iteration + 1
        words = options(self._settings | self._asked, self._preset)
        end = ["--generations", str(generation), "--run", str(self._run), "--threads", str(self._threads())]
        run([find(self._program), "train", self._variant, *end, *words])
        ratings = Run(self._run).ratings()
        return {
            "generation": generation,
            "elo": float(ratings["elo"][-1]),
            "elo_ci95": float(ratings["ci95"][-1]),
            "run": str(self._run),
            "done": generation >= self._generations,
        }

    def _threads(self) -> int:
        resources = self.trial_resources
        return max(1, int(resources.required_resources.get("CPU", 1))) if resources is not None else 1

    def save_checkpoint(self, checkpoint_dir: str) -> None:
        """A checkpoint only names the run, which keeps all generations."""
        place = {"run": str(self._run), "generation": self.iteration}
        (Path(checkpoint_dir) / "run.json").write_text(json.dumps(place), encoding="utf-8")

    def load_checkpoint(self, checkpoint_dir: str) -> None:
        """Continues the own run, or a fork of another."""
        place = json.loads((Path(checkpoint_dir) / "run.json").read_text(encoding="utf-8"))
        source, generation = Path(place["run"]), place["generation"]
        if source.parent == self._place:
            self._run = source
            return
        self._run = self._place / f"from-{source.parent.name}-{generation}"
        if self._run.exists():
            shutil.rmtree(self._run)
        command = [find(self._program), "fork", f"{source}@{generation}", "--to", str(self._run)]
        run([*command, *options(self._asked)])

    def reset_config(self, new_config: dict[str, Any]) -> bool:
        """The settings of a trial may change between its generations."""
        self._asked = dict(new_config)
        return True


def tune(
    variant: str,
    space: Mapping[str, Any],
    *,
    folder: str,
    generations: int,
    samples: int = 1,
    scheduler: Any = None,
    settings: Mapping[str, Any] | None = None,
    preset: str | None = None,
    cpus: int = 1,
    program: str | None = None,
) -> Any:
    """Trains runs with settings from a search space, and returns Ray's ``ResultGrid``.

    >>> from ray import tune  # doctest: +SKIP
    >>> space = {"train.learning_rate": tune.loguniform(1e-4, 1e-2)}  # doctest: +SKIP
    >>> results = crownhead.ray.tune("english", space, folder="/shared/trials", generations=40, samples=8,
    ...     scheduler=tune.schedulers.ASHAScheduler())  # doctest: +SKIP
    >>> results.get_best_result().metrics["elo"]  # doctest: +SKIP

    Each trial is an ordinary run in a folder of ``folder``, which all nodes see; ``settings`` are common to all. A
    trial reports ``elo`` after every generation, so schedulers can stop it early. With a
    ``PopulationBasedTraining`` scheduler a trial that falls behind becomes a ``crownhead fork`` of a better one, with
    mutated settings; they must be settings that a run may change. Use ``synch=True``, as the optimizer's state is
    only kept in forks of a run's newest generation.
    """
    trial = ray_tune.with_parameters(
        Trial,
        variant=variant,
        folder=folder,
        generations=generations,
        settings=settings,
        preset=preset,
        program=program,
    )
    tuner = ray_tune.Tuner(
        ray_tune.with_resources(trial, {"cpu": cpus}),
        param_space=dict(space),
        tune_config=ray_tune.TuneConfig(metric="elo", mode="max", num_samples=samples, scheduler=scheduler),
        run_config=ray_tune.RunConfig(name="tune", storage_path=str(Path(folder).resolve() / "ray")),
    )
    return tuner.fit()
