"""A script that runs pymoo already: two lines change, one import and one wrapped algorithm."""

from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.optimize import minimize
from pymoo.problems import get_problem

from janusopt.pymoo import Janus  # new


def main() -> None:
    problem = get_problem("zdt1", n_var=15)
    algorithm = Janus(SMSEMOA(pop_size=40))  # was: SMSEMOA(pop_size=40)
    result = minimize(problem, algorithm, ("n_eval", 4000), seed=1, verbose=False)
    print(f"{len(result.F)} points on the front after {result.algorithm.evaluator.n_eval} evaluations")
    print("ends of the front:", result.F[result.F[:, 0].argsort()][[0, -1]].round(3).tolist())


if __name__ == "__main__":
    main()
