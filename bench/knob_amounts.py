#!/usr/bin/env python3
"""What amounts that follow from LeNet-5's knobs are worth to models of the campaign of the generic law with
PyTorch, whose scripts do not tell them.

    bench/knob_amounts.py FOLDER
    reckon validate --data FOLDER/without.csv --target train_epoch_s --holdout 0.2
    reckon validate --data FOLDER/with.csv --target train_epoch_s --holdout 0.2

writes two tables of the undisturbed runs of docs/results/campaigns/generic-pytorch.runs.csv, with times as at the
usual pace of processors; the second one has multiply-adds, numbers that layers give, and parameters as well.
"""

import csv
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples/pytorch-ddp"))
import describe  # pylint: disable=wrong-import-position

RUNS = ROOT / "docs/results/campaigns/generic-pytorch.runs.csv"
# As `reckon report` tells it of this campaign.
PACE_POWER = 0.23
KNOBS = ("KERNEL", "POOL", "ACTIVATION", "FILTERS", "STRIDE", "PADDING", "DROPOUT", "OPTIMIZER", "SHAPE", "BATCH")


def amounts(row):
    """As the example's script tells them of these knobs."""
    whole = {name: int(row[f"env_{name.upper()}"]) for name in ("kernel", "pool", "filters", "stride")}
    return describe.amounts(shape=row["env_SHAPE"], padding=row["env_PADDING"], **whole)


def main():
    folder = pathlib.Path(sys.argv[1])
    with RUNS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if not row["disturbed"]]
    usual = statistics.median(float(row["pace_us"]) for row in rows)
    for name, known in (("without", False), ("with", True)):
        with (folder / f"{name}.csv").open("w", encoding="utf-8") as file:
            table = None
            for row in rows:
                line = {knob.lower(): row[f"env_{knob}"] for knob in KNOBS}
                line["workers"] = row["workers"]
                line.update(amounts(row) if known else {})
                line["train_epoch_s"] = float(row["train_epoch_s"]) / (float(row["pace_us"]) / usual) ** PACE_POWER
                if table is None:
                    table = csv.DictWriter(file, line)
                    table.writeheader()
                table.writerow(line)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
