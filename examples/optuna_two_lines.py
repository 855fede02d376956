"""A study that runs Optuna already: two lines change, one import and the sampler."""

import optuna

from janusopt.optuna import JanusSampler  # new


def objective(trial: optuna.Trial) -> float:
    rate = trial.suggest_float("rate", 1e-6, 1.0, log=True)
    weights = [trial.suggest_float(f"weight{i}", -2.0, 2.0) for i in range(8)]
    rough = sum(10.0 ** (i / 2) * (weight - 0.5) ** 2 for i, weight in enumerate(weights))
    return rough + (rate - 1e-3) ** 2


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=JanusSampler(seed=1))  # was: CmaEsSampler(seed=1)
    study.optimize(objective, n_trials=400)
    print(f"best value {study.best_value:.1e} after {len(study.trials)} trials")


if __name__ == "__main__":
    main()
