"""Training on a Ray cluster, and Ray Tune over settings. Needs ``pip install crownhead[ray]``.

>>> import crownhead.ray  # doctest: +SKIP
>>> crownhead.ray.train("frisian", storage="/shared/frisian", generations=200)  # doctest: +SKIP

``train`` spreads one run over the cluster; ``tune`` trains many runs with different settings. Both start the
program ``crownhead``, which the wheel contains, on the nodes. ``python -m crownhead.ray train`` is the command.
"""

try:
    import ray as _ray  # noqa: F401
except ImportError as error:
    raise ImportError("crownhead.ray needs Ray: pip install 'crownhead[ray]'") from error

from ._train import train
from ._tune import Trial, tune

__all__ = ["Trial", "train", "tune"]
