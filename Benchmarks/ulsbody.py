"""Half an hour of one server's ULS log, as bytes that can be moved to another half hour."""

import math

import ulswords as words
from ulsvocabulary import TURNS, padded, request_name

END = "\r\n"
PART_MINUTES = 10
PARTS = 3
# The time of a row in part N begins with this text and the digit N, and no other text does: replacing it moves the row.
CLOCK = "06/07/2024 08:"
# Groups in every correlation; replacing them yields others. In SharePoint, a process's correlations share groups, too.
CORRELATION_GROUPS = "-7d4e-20c1-"
SCOPE_GROUP = "S~~~~"  # in the names of inner scopes, if there are many
NO_CORRELATION = " "
OPEN_REQUESTS = 4
CUT = 800  # the length at which the service cuts a message

MONITORING = "SharePoint Foundation", "Monitoring"
ENTERING = padded(*MONITORING, "nasq") + "Medium  \tEntering Monitored Scope ("
NAMING = padded("SharePoint Foundation", "Logging Correlation Data", "xmnv") + "Medium  \tName="
LEAVING = padded(*MONITORING, "b4ly")


class Request:
    def __init__(self, correlation, columns, name, rows, opened):
        self.correlation = correlation
        self.columns = columns  # process and thread
        self.name = name  # None if the process names no requests
        self.rows = rows  # rows still to come
        self.opened = opened


class Body:
    """Three parts of ten minutes, each of whole records.

    `calls` lists the requests that called another server: hundredths of a second, and the correlation. The body of the
    called server gets them as `visits`.
    """

    def __init__(self, vocabulary, chance, size, server=0, visits=(), calling=False):
        self.vocabulary = vocabulary
        self.chance = chance
        self.server = server
        self.visits = list(reversed(visits))
        self.calling = calling
        self.calls = []
        self.time = 0
        self.threads = ["0x%04X" % (0x0400 + chance.bits(13) * 4) for _ in range(160)]
        self.lines = []
        self.stamp = ""
        self.requests = []
        self.parts = [self.part(number, size // PARTS) for number in range(PARTS)]

    def part(self, number, size):
        chance, lines = self.chance, self.lines
        self.tick(number, 0)
        while len(self.requests) < OPEN_REQUESTS:
            self.requests.append(self.opened())
        written = measured = 0
        while written < size:
            # Time follows the bytes, so that a part fills its minutes; several rows share a hundredth of a second.
            if chance.fraction() < 0.3:
                self.tick(number, written / size)
            while self.visits and self.visits[-1][0] <= self.time:
                self.visit(self.visits.pop()[1])
            turn = chance.bits(10)
            slot = 0 if turn < 820 else 1 + turn % (OPEN_REQUESTS - 1)
            request = self.requests[slot]
            self.row(request)
            request.rows -= 1
            if request.rows <= 0:
                self.close(request)
                self.requests[slot] = self.opened()
            written += sum(map(len, lines[measured:]))
            measured = len(lines)
        result = "".join(lines).encode()
        lines.clear()
        return result

    def tick(self, number, share):
        self.time = int((number + share) * PART_MINUTES * 6000)
        seconds, hundredths = divmod(self.time, 100)
        self.stamp = "%s%02d:%02d.%02d" % (CLOCK, seconds // 60, seconds % 60, hundredths)

    # Requests

    def correlation(self):
        digits = "%024x" % self.chance.bits(96)
        return f"{digits[:8]}{CORRELATION_GROUPS}{digits[8:12]}-{digits[12:]}"

    def columns(self, process):
        name, identifier = process[:2]
        text = "%s (0x%04X)" % (name, identifier + 4 * self.server)
        return f"\t{text:40}\t{self.chance.pick(self.threads)}"

    def opened(self):
        chance = self.chance
        process = words.PROCESSES[self.vocabulary.processes[chance.bits(14) % TURNS]]
        if chance.fraction() < 0.006:
            process = words.LONG_PROCESS
        name = None
        if process[0] == "w3wp.exe":
            name = request_name(chance)
        elif process[0] == "OWSTIMER.EXE":
            name = "Timer Job " + chance.pick_early(words.TIMER_JOBS)
        request = Request(self.correlation(), self.columns(process), name, 8 + chance.below(50), self.time)
        if name:
            self.enter(request)
            if self.calling and process[0] == "w3wp.exe" and chance.fraction() < 0.05:
                self.calls.append((self.time, request.correlation))
        return request

    def enter(self, request):
        """Writes the first rows; in every second request the first has no correlation yet, as in real logs."""
        correlation = request.correlation if self.chance.bits(1) else NO_CORRELATION
        self.line(request, f"{ENTERING}{request.name})", correlation)
        self.line(request, NAMING + request.name, request.correlation)

    def close(self, request):
        if request.name:
            milliseconds = (self.time - request.opened) * 10 + self.chance.fraction() * 10
            self.leave(request, request.name, milliseconds)

    def leave(self, request, scope, milliseconds):
        level = "High    " if milliseconds > 1000 else "Medium  " if milliseconds > 50 else "Verbose "
        text = f"{LEAVING}{level}\tLeaving Monitored Scope ({scope}). Execution Time={milliseconds:.4f}"
        self.line(request, text, request.correlation)

    def visit(self, correlation):
        """Writes the rows of this server for a request of another one."""
        chance = self.chance
        name = chance.pick(words.SERVICE_CALLS)
        request = Request(correlation, self.columns(words.PROCESSES[1]), name, 0, self.time)
        self.line(request, f"{ENTERING}{name})", correlation)
        for _ in range(2 + chance.below(8)):
            self.row(request)
        self.leave(request, name, chance.fraction() * 40)

    # Rows

    def scope(self):
        name = self.chance.pick_early(words.SCOPES)
        many = self.vocabulary.scopes
        return f"{name} {SCOPE_GROUP}{self.chance.below(many)}" if many else name

    def line(self, request, text, correlation, mark=" "):
        self.lines.append(f"{self.stamp}{mark}{request.columns}{text}\t{correlation}{END}")

    def row(self, request):
        chance = self.chance
        share = chance.fraction()
        if share > 0.92:
            rest = 1.000001 - chance.fraction()
            self.leave(request, self.scope(), 0.05 / (rest * math.sqrt(rest)))
            return
        if share > 0.89:
            self.line(request, f"{ENTERING}{self.scope()})", request.correlation)
            return
        columns, messages = self.vocabulary.events[chance.bits(14)]
        message = chance.pick(messages)
        correlation = NO_CORRELATION if share < 0.06 else request.correlation
        kind = chance.fraction()
        if kind < 0.02:
            self.long_row(request, columns, message, correlation)
        elif kind < 0.03:
            frames = END.join(chance.pick(words.FRAMES) for _ in range(4 + chance.below(9)))
            self.line(request, f"{columns}System.NullReferenceException: {message}{END}{frames}", correlation)
        else:
            self.line(request, columns + message, correlation)

    def long_row(self, request, columns, message, correlation):
        """Writes a message that the service cut: dots at the cut, and a star in the time of each part but the first."""
        length = CUT * (1 if self.chance.fraction() < 0.7 else 2) + len(message)
        text = message.replace("\t", " ")
        while len(text) < length:
            text += " " + self.chance.pick(self.vocabulary.events[0][1]).replace("\t", " ")
        pieces = [text[start:start + CUT] for start in range(0, length, CUT)]
        for number, piece in enumerate(pieces):
            before, after = "..." if number else "", "..." if number < len(pieces) - 1 else ""
            self.line(request, f"{columns}{before}{piece}{after}", correlation, "*" if number else " ")
