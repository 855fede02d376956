"""A tiny simulator for the command line: reads parameters from one file, writes its result to another.

    janusopt minimize --command "python simulator.py {params.json} {out.json}" --space space.toml --budget 300 \
        --workers 2 --timeout 60 --journal run.db --out best.json

Called without arguments it writes space.toml and runs that command.
"""

import json
import math
import subprocess
import sys
from pathlib import Path

SPACE = """\
[parameters.stiffness]
low = 1.0
high = 1e4
log = true

[parameters.damping]
low = 0.0
high = 5.0

[parameters.blades]
low = 2
high = 9
integer = true
"""


def simulate(stiffness: float, damping: float, blades: int) -> dict[str, object]:
    """Misfits of an oscillator to a measured frequency, decay and ripple; it does not converge without damping."""
    if damping < 0.05:
        sys.exit("the integration did not converge")
    misfits = [(math.sqrt(stiffness) - 12.0) ** 2, (damping - 1.5) ** 2, 0.1 * (blades - 5) ** 2]
    return {"f": sum(misfits) / len(misfits), "components": misfits}


def main() -> None:
    if len(sys.argv) == 3:
        parameters = json.loads(Path(sys.argv[1]).read_text())
        Path(sys.argv[2]).write_text(json.dumps(simulate(**parameters)))
        return
    Path("space.toml").write_text(SPACE)
    command = f"'{sys.executable}' '{Path(__file__).resolve()}' {{params.json}} {{out.json}}"
    options = "--space space.toml --budget 21 --workers 2 --timeout 60 --seed 1 --journal run.db --out best.json"
    subprocess.run(
        [sys.executable, "-m", "janusopt.cli", "minimize", "--command", command, *options.split()], check=True
    )


if __name__ == "__main__":
    main()
