"""Games and steps per second on one core: python bindings/python/tests/speed.py"""

import time

import crownhead


def rate(name, n, call):
    start = time.perf_counter()
    n = call() or n
    seconds = time.perf_counter() - start
    print(f"{name}: {n / seconds:,.0f} per second")


for variant in crownhead.variants()[:5]:
    crownhead.random_games(variant, 100)
    rate(f"random games, {variant}", 20_000, lambda: crownhead.random_games(variant, 20_000, seed=1) and None)


def steps(env, n):
    for _ in range(n):
        env.step(env.random_actions())
    return n * len(env)


rate("steps of VectorEnv, english, 256 games", 0, lambda: steps(crownhead.VectorEnv("english", 256), 1000))
without = crownhead.VectorEnv("english", 256, observations=False)
rate("the same without observations", 0, lambda: steps(without, 3000))
