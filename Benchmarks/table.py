"""The table of results, with their goals."""

COLUMNS = ("what", "fastctl", "compared with", "result", "goal", "", "peak memory")


class Table:
    def __init__(self, title):
        self.title = title
        self.rows = []
        # The group of each row.
        self.group, self.places = "", []
        self.missed = 0
        self.failed = 0

    def add(self, what, *, own, other="", result="", goal="", met=None, peak=None):
        """Adds a row; `met` is whether the goal was met, `None` without a goal."""
        if met is False:
            self.missed += 1
        verdict = {True: "ok", False: "MISSED", None: ""}[met]
        self.append((what, own, other, result, goal, verdict, "" if peak is None else megabytes(peak)))

    def fail(self, what):
        """Adds a row for a measurement that failed."""
        self.failed += 1
        self.append((what, "", "", "", "", "FAILED", ""))

    def append(self, row):
        self.rows.append(row)
        self.places.append(self.group)

    def groups(self):
        """The rows by group, in the order of the run."""
        names = list(dict.fromkeys(self.places))
        return [(name, [row for row, place in zip(self.rows, self.places) if place == name]) for name in names]

    def text(self):
        lines = [COLUMNS, *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(COLUMNS))]
        body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        body.insert(1, "-" * max(map(len, body)))
        return "\n".join([self.title, "", *body, "", self.end()])

    def end(self):
        end = f"{plural(self.missed, 'goal')} missed." if self.missed else "All goals met."
        if self.failed:
            end = f"{plural(self.failed, 'measurement')} failed. {end if self.missed else ''}".rstrip()
        return end


def plural(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def count(number):
    return f"{number:,}"


def rate(number, duration):
    return f"{seconds(duration)}, {number / duration:,.0f}/s"


def seconds(duration):
    return f"{duration:.2f} s" if duration < 10 else f"{duration:.1f} s"


def megabytes(size):
    return f"{size / 1e6:.0f} MB"
