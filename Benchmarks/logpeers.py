"""The programs that count the rows of a log as `fastctl logs summary` does: those in peers/, and how to run them."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from measure import Failure, measure

SCRIPTS = pathlib.Path(__file__).resolve().parent / "peers"
PACKAGES = ("duckdb==2.0.0", "polars==2.1.0")
THREADS = "2"
LEVEL_COUNT = re.compile(r'^"?level"?[\t,](\d+)[\t,](\w+) *$', re.MULTILINE)


class Peers:
    """The programs; each method runs one of them over a file and returns its cost, and its counts by level."""

    def __init__(self, work):
        self.work = work
        self.output = work / "peer.txt"

    def mawk(self, file):
        return self.counted(["mawk", "-f", SCRIPTS / "summary.awk", file])

    def lnav(self, file):
        formats = self.work / "lnav/formats/installed"
        formats.mkdir(parents=True, exist_ok=True)
        shutil.copy(SCRIPTS / "uls.json", formats)
        home = {**os.environ, "HOME": str(self.work), "XDG_CONFIG_HOME": str(self.work), "TERM": "dumb"}
        command = ["lnav", "-I", self.work / "lnav", "-n", "-f", SCRIPTS / "summary.lnav", file]
        return self.counted(command, environment=home)

    def duckdb(self, file):
        return self.counted([self.python(), SCRIPTS / "summary_duckdb.py", file, THREADS])

    def polars(self, file):
        threads = {**os.environ, "POLARS_MAX_THREADS": THREADS}
        return self.counted([self.python(), SCRIPTS / "summary_polars.py", file], environment=threads)

    def counted(self, command, environment=None):
        run = measure(command, environment=environment, output=self.output)
        levels = {level: int(count) for count, level in LEVEL_COUNT.findall(self.output.read_text())}
        if not levels:
            raise Failure(f"{' '.join(map(str, command))}: no counts by level\n{self.output.read_text()[:500]}")
        return run, levels

    def python(self):
        """Returns a Python with duckdb and polars, from PyPI: Debian does not package them."""
        venv = self.work / "venv"
        python = venv / "bin/python"
        if not (venv / "complete").exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True, stdout=subprocess.DEVNULL)
            install = [python, "-m", "pip", "install", "--quiet", *PACKAGES]
            answer = subprocess.run(install, capture_output=True, text=True)
            if answer.returncode != 0:
                raise Failure(f"pip install {' '.join(PACKAGES)}: {answer.stderr[-1000:]}")
            (venv / "complete").touch()
        return python
