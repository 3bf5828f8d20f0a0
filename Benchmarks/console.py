"""The console in headless Chromium, drawn in software: first page, a long list, and the stream of a long job."""

import contextlib
import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys
import threading
import time

from distributor import BATCH, KEYS, PORT, Client, Distributor
from measure import Failure
from table import count

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "Scripts"
PACKAGES = ("selenium==4.51.0",)
DOCUMENTS, OUTCOMES, VISITS, PAGE = 100_000, 1_000_000, 50, 50
MOST_ROWS = 300
PER_MINUTE = 1_000_000
# What the heap may be larger by at the end: not what a million outcomes take, which is 200 times as much.
GROWTH = 2_000_000
CONSOLE = f"http://127.0.0.1:{PORT}/console"
LIST = f"{CONSOLE}/collections/{KEYS}"


class ConsoleWorkloads:
    ALL = ("console_first_page", "console_scroll", "console_stream")
    TOOLS = ("chromedriver", "chromium", "taskset")

    def __init__(self, command, work, divisor, table):
        self.command, self.work, self.divisor, self.table = command, work, divisor, table
        self.folders = (work / f"console-{number}" for number in range(1_000_000))

    def documents(self):
        return max(4 * PAGE, DOCUMENTS // self.divisor // PAGE * PAGE)

    @contextlib.contextmanager
    def console(self, *, is_filled=False):
        """A server, and a browser that has signed in to its console."""
        browsers = import_browsers(self.work)
        from selenium.common.exceptions import WebDriverException

        server = Distributor(self.command, next(self.folders))
        if is_filled:
            lines = server.folder / "documents.jsonl"
            lines.write_text("".join(
                json.dumps({"id": f"document-{place:06}", "title": f"Title {place}", "state": "fresh"}) + "\n"
                for place in range(self.documents())
            ))
            add = [self.command, "add", "--quiet", lines, "--collection", KEYS, "--target",
                   f"sqlite:{server.folder}/store.sqlite"]
            subprocess.run(add, check=True, capture_output=True)
        with server:
            driver = browsers.chromium()
            try:
                browsers.show(driver)
                driver.get(f"{CONSOLE}/sign-in")
                driver.execute_script("""document.getElementById('token').value = arguments[0];
                    document.getElementById('token').form.submit()""", server.admin)
                wait("the sign-in", lambda: driver.current_url == f"{CONSOLE}/")
                yield Page(driver), server
            except WebDriverException as error:
                raise Failure(f"the browser: {error.msg}") from None
            finally:
                driver.quit()

    # One page

    def console_first_page(self):
        number = max(5, VISITS // self.divisor)
        pages = {"overview": f"{CONSOLE}/", f"{PAGE} of {count(self.documents())} documents": LIST,
                 "a document": f"{LIST}/documents/document-000077"}
        with self.console(is_filled=True) as (page, _):
            for name, address in pages.items():
                times = []
                for _ in range(number):
                    page.driver.get(address)
                    times.append(page.milliseconds())
                middle, longest = spread(times)
                self.table.add(f"console: {name}", own=f"p50 {middle:.0f} ms, p99 {longest:.0f} ms", result=f"{number} visits",
                               goal="p50 < 500 ms", met=middle < 500)

    # A long list

    def console_scroll(self):
        number = self.documents() // PAGE
        with self.console(is_filled=True) as (page, server):
            page.driver.get(LIST)
            seen, times, most, start = set(), [], 0, time.perf_counter()
            for place in range(number):
                times.append(page.milliseconds())
                most = max(most, page.rows())
                seen |= set(page.list())
                if place < number - 1:
                    page.next()
            seconds = time.perf_counter() - start
            if len(seen) != self.documents() or page.has_next():
                raise Failure(f"{len(seen)} of {self.documents()} documents were on {number} pages")
            middle, longest = spread(times)
            tenth = max(1, len(times) // 10)
            first, last = (statistics.median(part) for part in (times[:tenth], times[-tenth:]))
            self.table.add(
                f"console: {count(len(seen))} documents by the pager", own=f"p50 {middle:.0f} ms, p99 {longest:.0f} ms a page",
                other=f"first tenth {first:.0f} ms, last {last:.0f} ms", result=f"{count(number)} pages in {seconds:.0f} s",
                goal="last ≤ 1.5 × first", met=last <= 1.5 * first, peak=server.memory(),
            )
            self.table.add("  … row elements at once", own=f"{most}", goal=f"≤ {MOST_ROWS}", met=most <= MOST_ROWS)

    # A long stream

    def console_stream(self):
        number = max(BATCH, OUTCOMES // self.divisor // BATCH * BATCH)
        with self.console() as (page, server):
            client = Client(server.admin)
            session = client.ask("POST", f"/v1/collections/{KEYS}/sessions?missing=error")["session"]
            page.driver.get(f"{CONSOLE}/jobs/{session}")
            page.driver.execute_script("""window.long = [];
                new PerformanceObserver((list) => window.long.push(...list.getEntries().map((entry) => entry.duration)))
                    .observe({type: 'longtask', buffered: false});""")
            # Rows that are there already, so that the heap at the start is that of a full table.
            feed(client, session, range(1, 2))
            wait("the first outcomes", lambda: page.received() == BATCH)
            before, most, peak, batches = page.heap(), 0, 0, number // BATCH
            problems = []

            def run():
                try:
                    feed(client, session, range(2, batches + 2))
                except (Failure, OSError) as problem:
                    problems.append(problem)

            feeder, start = threading.Thread(target=run), time.perf_counter()
            feeder.start()
            fed = None
            while (received := page.received()) < number + BATCH:
                if not fed and not feeder.is_alive():
                    fed = time.perf_counter() - start
                if problems or time.perf_counter() - start > 600:
                    raise Failure(f"{received} of {number + BATCH} outcomes have come: {problems}")
                most, peak = max(most, page.rows()), max(peak, page.used())
                time.sleep(0.2)
            seconds = time.perf_counter() - start
            feeder.join()
            state = client.ask("GET", f"/v1/sessions/{session}")
            if state["errors"] != number + BATCH:
                raise Failure(f"the job has {state['errors']} errors instead of {number + BATCH}")
            after, tasks = page.heap(), page.driver.execute_script("return window.long")
            self.table.add(
                f"console: {count(number)} outcomes of a job", own=f"{number / seconds:,.0f}/s",
                other=f"fed with {number / (fed or seconds):,.0f}/s", result=f"{seconds:.1f} s", goal=f"≥ {PER_MINUTE / 60:,.0f}/s",
                met=number / seconds >= PER_MINUTE / 60, peak=server.memory(),
            )
            self.table.add(
                "  … memory of the page's script", own=f"{after / 1e6:.1f} MB after collection", other=f"before: {before / 1e6:.1f} MB",
                result=f"at most {peak / 1e6:.1f} MB", goal=f"< {GROWTH / 1e6:.0f} MB more", met=after - before < GROWTH,
            )
            self.table.add("  … row elements at once", own=f"{most}", goal=f"≤ {MOST_ROWS}", met=most <= MOST_ROWS)
            self.table.add(
                "  … tasks of more than 50 ms", own=f"{len(tasks)}, longest {max(tasks, default=0):.0f} ms",
                result=f"{sum(tasks) / seconds / 10:.1f} % of the time",
            )


def feed(client, session, batches):
    """Removes documents that are missing, each an error."""
    for batch in batches:
        body = "".join(f'"missing-{place:07}"\n' for place in range(batch * BATCH, (batch + 1) * BATCH)).encode()
        client.ask("PUT", f"/v1/sessions/{session}/batches/{batch}?operation=remove", body)


class Page:
    """The page that a browser shows."""

    def __init__(self, driver):
        self.driver = driver

    def milliseconds(self):
        """Waits until the page is drawn, and returns the time from the start of the navigation until then, or until its script
        has run if that is later, by the browser's own clock."""
        return wait("the first contents", lambda: self.driver.execute_script("""
            const [page] = performance.getEntriesByType('navigation');
            const [paint] = performance.getEntriesByName('first-contentful-paint');
            return document.querySelector('main h1') && paint && page.domContentLoadedEventEnd
                && Math.max(paint.startTime, page.domContentLoadedEventEnd);"""))

    def rows(self):
        return self.driver.execute_script("return document.querySelectorAll('tbody tr').length")

    def list(self):
        return self.driver.execute_script("return [...document.querySelectorAll('#documents tbody a')].map(a => a.textContent)")

    def has_next(self):
        return self.driver.execute_script("return Boolean(document.querySelector('main a[rel=next]'))")

    def next(self):
        """Goes on to the next page by the enter key on its link, and waits until it is there."""
        self.driver.execute_script("""window.isOld = true; scrollTo(0, document.documentElement.scrollHeight);
            document.querySelector('main a[rel=next]').focus()""")
        self.driver.switch_to.active_element.send_keys("\ue007")
        wait("the next page", lambda: self.driver.execute_script("return !window.isOld && document.readyState === 'complete'"))

    def received(self):
        """Returns how many events the page has received, by its own words."""
        text = self.driver.execute_script("return document.querySelector('.bar .detail')?.textContent ?? ''")
        return int("".join(filter(str.isdigit, text.split(" ")[0])) or 0)

    def used(self):
        return self.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]

    def heap(self):
        """Returns the bytes of JavaScript's heap that are in use after a collection."""
        self.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return self.used()


def wait(what, condition):
    deadline = time.monotonic() + 60
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise Failure(f"{what} did not come within a minute")
        time.sleep(0.005)
    return found


def spread(times):
    """Returns the median, and the time within which 99 of 100 are."""
    times = sorted(times)
    return statistics.median(times), times[len(times) * 99 // 100]


def import_browsers(work):
    """Returns the module that starts browsers; Selenium comes from PyPI: Debian does not package it."""
    if not importlib.util.find_spec("selenium"):
        venv = work / "venv"
        subprocess.run([sys.executable, "-m", "venv", venv], check=True, stdout=subprocess.DEVNULL)
        install = [venv / "bin/python", "-m", "pip", "install", "--quiet", *PACKAGES]
        answer = subprocess.run(install, capture_output=True, text=True)
        if answer.returncode:
            raise Failure(f"pip install {' '.join(PACKAGES)}: {answer.stderr[-1000:]}")
        sys.path += map(str, venv.glob("lib/python*/site-packages"))
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    import browsers

    return browsers
