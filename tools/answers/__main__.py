"""python -m answers: checks the figures, questions and code in course/NN-name/answers.md and exam.md.

python -m answers              all labs; exit status 1: a sheet has an error
python -m answers 3            one lab
python -m answers 3 --write    renews figures, quoted questions and code; then look at what git diff shows
python -m answers 3 --show 'blelloch(n=4096)'     all counters of a call, line by line; or the value of a formula
python -m answers 3 --exam     the exam as students get it, without answers
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from answers import sheets
from answers.calls import Lab, Measured
from answers.figures import evaluate
from autograder.cli import ROOT
from autograder.errors import GraderError, UsageError
from autograder.plan.labs import find, folders
from autograder.run.protocol import Counters


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m answers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lab", nargs="?", help="3, lab3, scan or 03-scan; default: all")
    parser.add_argument("--write", action="store_true", help="renew what the runs, handouts and mistakes decide")
    parser.add_argument("--show", metavar="FORMULA", help="what a formula gives")
    parser.add_argument("--exam", action="store_true", help="print the exam without its answers")
    options = parser.parse_args()
    chosen = [find(ROOT, options.lab)] if options.lab else list(folders(ROOT).values())
    if (options.show or options.exam) and not options.lab:
        parser.error("which lab?")
    if options.exam:
        print(sheets.without_answers(sheets.sheets(ROOT, chosen[0])[1].read_text("utf-8")), end="")
        return 0
    wrong = 0
    for folder in chosen:
        with Lab(ROOT, int(folder.name[:2])) as lab:
            if options.show:
                show(evaluate(options.show, lab, {}))
                continue
            for path in sheets.sheets(ROOT, folder):
                if options.write and path.is_file() and sheets.renew(path, lab):
                    print(f"{path.relative_to(ROOT)}: renewed; git diff shows what")
            for problem in sheets.problems(ROOT, lab):
                print(problem.told(ROOT))
                wrong = 1
    return wrong


def show(value: object) -> None:
    if not isinstance(value, Measured):
        print(value)
        return
    for kernel in value.kernels:
        shape = f"{kernel.blocks} x {kernel.block_threads}"
        name = kernel.name.partition("(")[0].strip() or kernel.name
        print(f"{name}  {shape}  {1e6 * kernel.seconds:.2f} us, {kernel.limited_by}")
        _show_counters("in all", kernel.total)
        for line in kernel.lines:
            _show_counters(f"{Path(line.place.file).name}:{line.place.line} {line.place.text.strip()}", line.counters)


def _show_counters(what: str, counters: Counters) -> None:
    counted = {name: getattr(counters, name) for name in counters.__struct_fields__}
    print(f"    {what}\n        " + ", ".join(f"{name} {count:,}" for name, count in counted.items() if count))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (UsageError, GraderError) as error:
        sys.exit(f"answers: {error}")
