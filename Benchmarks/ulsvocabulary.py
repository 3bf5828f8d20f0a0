"""The finite sets from which rows are drawn: event types with their messages, processes, names of requests."""

import random

import ulswords as words

EVENT_TYPES = 300
MESSAGES = 220
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
SCOPE_IDS = {"nasq", "xmnv", "b4ly"}
TURNS = 1 << 14
PAGES = [
    site + words.SITE_PAGES[(7 * index + 3 * step) % len(words.SITE_PAGES)]
    for index, site in enumerate(words.SITES) for step in range(words.PAGES_OF_A_SITE)
]


class Chance:
    """Random draws, the same in every version of Python: they use only functions that `random` promises never to change."""

    def __init__(self, seed):
        generator = random.Random(seed)
        self.fraction = generator.random
        self.bits = generator.getrandbits

    def below(self, limit):
        return int(self.fraction() * limit)

    def pick(self, choices):
        return choices[int(self.fraction() * len(choices))]

    def pick_early(self, choices):
        """Picks a choice, preferring those at the beginning."""
        share = self.fraction()
        return choices[int(share * share * len(choices))]

    def guid(self):
        digits = "%032x" % self.bits(128)
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def turns(weights):
    """Returns `TURNS` indices into the weights, each in proportion to its weight, so that one draw picks by weight."""
    total, reached, index, result = sum(weights), weights[0], 0, []
    for turn in range(TURNS):
        while index < len(weights) - 1 and (turn + 0.5) / TURNS > reached / total:
            index += 1
            reached += weights[index]
        result.append(index)
    return result


def padded(area, category, event_id):
    return f"\t{area:30}\t{category:30}\t{event_id}\t"


class Vocabulary:
    def __init__(self, chance, scopes=0):
        self.chance = chance
        self.scopes = scopes  # names of inner scopes in half an hour, besides the usual ones
        level_turns = turns([share for _, share in words.LEVELS])
        pairs = [(area, category) for area, categories in words.AREAS.items() for category in categories]
        taken = set(SCOPE_IDS)
        types = []
        for _ in range(EVENT_TYPES):
            level = words.LEVELS[chance.pick(level_turns)][0]
            columns = padded(*chance.pick_early(pairs), self.event_id(taken)) + f"{level:8}\t"
            types.append((columns, [self.message() for _ in range(MESSAGES)]))
        # A few event types make up most of a log: shares fall nearly as 1 / rank.
        self.events = [types[index] for index in turns([1 / (rank + 3) for rank in range(EVENT_TYPES)])]
        self.processes = turns([share for _, _, share in words.PROCESSES])

    def event_id(self, taken):
        while True:
            length = 4 if self.chance.fraction() < 0.72 else 5
            name = "".join(self.chance.pick(ALPHABET) for _ in range(length))
            if name not in taken:
                taken.add(name)
                return name

    def message(self):
        chance = self.chance
        length = self.message_length()
        text = chance.pick(words.BEGINNINGS)
        text += request_path(chance) if chance.fraction() < 0.5 else chance.pick(words.WORDS)
        while len(text) < length:
            text += " " + chance.pick(words.WORDS)
        text = text[:length].rstrip()
        odd = chance.fraction()
        if odd < 0.010:
            return text[:max(20, length - 30)] + " " + chance.pick(words.NOT_ASCII)
        if odd < 0.015:
            return text[:len(text) // 2] + "\t" + text[len(text) // 2:]
        return text

    def message_length(self):
        share = self.chance.fraction()
        for limit, shortest, spread in ((0.10, 20, 25), (0.62, 45, 90), (0.88, 135, 160), (0.97, 295, 300)):
            if share < limit:
                return shortest + self.chance.below(spread)
        return 595 + self.chance.below(205)


def request_path(chance):
    """Returns a path with its query; without IDs and queries there are a few hundred."""
    path = chance.pick_early(PAGES) if chance.fraction() < 0.7 else chance.pick_early(words.SERVICES)
    path += chance.pick(words.QUERIES)
    if "{" not in path:
        return path
    return path.format(guid=chance.guid(), number=1 + chance.below(5000), word=chance.pick(words.WORDS))


def request_name(chance):
    method = "GET" if chance.fraction() < 0.8 else "POST"
    return f"Request ({method}:{chance.pick_early(words.HOSTS)}{request_path(chance)})"
