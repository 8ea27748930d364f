"""Trains on arrays alone, cancels a prediction from another thread, and predicts in four threads."""
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

import gelatto


def draw(seed: int) -> NDArray[Any]:
    return np.random.default_rng(seed).random((512, 3)) * 2


def learn() -> gelatto.Model:
    """A model that separates low points from high ones."""
    model = gelatto.Model.create(["low", "high"], preset="tiny", inputs="xyz", aux=0)
    trainer = gelatto.Trainer(model, clouds=1, points=512)
    for seed in range(20):
        xyz = draw(seed)
        trainer.step([(xyz, None, (xyz[:, 2] > 1).astype(np.int32))], lr=2e-3)
    return model


def predict_all(model: gelatto.Model) -> float:
    """Four clouds at once; the share of points that are right."""
    clouds = [draw(100 + i) for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(model.predict, clouds))
    right = [np.mean(result.label == (xyz[:, 2] > 1)) for result, xyz in zip(results, clouds)]
    return float(np.mean(right))


def cancel(model: gelatto.Model) -> bool:
    """Whether a prediction ends when another thread cancels its context."""
    context = gelatto.Context(progress=lambda *_: context.cancel())
    stopped = []

    def work() -> None:
        try:
            with context:
                model.predict(draw(7))
        except gelatto.InterruptedError as error:
            stopped.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return len(stopped) == 1


if __name__ == "__main__":
    learned = learn()
    print(f"{100 * predict_all(learned):.0f} % of the points are right")
    print("cancelled" if cancel(learned) else "was not cancelled")
