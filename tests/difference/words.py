"""What a random program says of itself: one line for each thing it did, with the time, who did it and what came of it.

Not here: any running (virtual_loop.py).
"""

import asyncio
import contextvars
import gc
import re
import sys
import warnings

import virtual_loop
from virtual_loop import Deadlock, Endless, VirtualLoop

# More says nothing new: a program that goes on for ever has shown what it does.
MOST_LINES = 400
MOST_ITERATIONS = 2_000

# What asyncio reports at once. When it reports a lost exception or task depends on when that is collected.
REPORTS = {
    "Exception in callback": "callback",
    "exception in shielded future": "shielded",
    "unhandled exception during asyncio.run() shutdown": "shutdown",
    "has errored out but its parent": "orphan",
}
NEVER_AWAITED = re.compile("coroutine '(.*)' was never awaited")

# One that has no other inside.
OBJECTS = re.compile("<[^<>]*>")


class Own(Exception):
    """An exception of the program's own."""


def without_objects(message):
    """A message tells an object by what it looks like inside: not compared."""
    while (shorter := OBJECTS.sub("…", message)) != message:
        message = shorter
    return message


def describe(exception):
    """An exception, what is in it, and what it was raised from."""
    if exception is None:
        return "None"
    name = type(exception).__name__
    if isinstance(exception, BaseExceptionGroup):
        text = f"{name}[{', '.join(map(describe, exception.exceptions))}]"
    else:
        message = ", ".join(str(part) for part in exception.args)
        text = f"{name}({without_objects(message)})"
    if exception.__cause__ is not None:
        text += f" from {describe(exception.__cause__)}"
    return text


def show(value):
    """A value as both sides write it."""
    if isinstance(value, BaseException):
        return describe(value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(show, value))}]"
    return repr(value)


def since(when):
    """A deadline as nanoseconds."""
    return None if when is None else when // virtual_loop.TICKS


def places(of, some):
    """Where in a list the members of a set stand first."""
    return [place for place, one in enumerate(of) if one in some and of.index(one) == place]


def context(exception):
    """What was being handled when it was raised; of a group, its first member."""
    while isinstance(exception, BaseExceptionGroup):
        exception = exception.exceptions[0]
    return exception.__context__


class Log:
    """The lines of one program, until it has ended; what went wrong beside it is told behind its end."""

    def __init__(self, loop):
        self.loop = loop
        self.lines = []
        self.complaints = []
        self.is_open = True

    def __call__(self, me, step, *what):
        if not self.is_open:
            return
        self.lines.append(" ".join([str(self.loop.now), me, str(step), *map(show_word, what)]))
        if len(self.lines) >= MOST_LINES:
            self.is_open = False
            self.loop.has_said_enough = True

    def complain(self, *what):
        if self.is_open:
            self.complaints.append(" ".join(what))

    def close(self, *what):
        if self.is_open:
            self.lines.append(" ".join([str(self.loop.now), "run", *what]))
            self.lines += self.complaints
            self.is_open = False


def show_word(word):
    return word if isinstance(word, str) else show(word)


# What programs name beside their own objects.
NAMES = {
    "asyncio": asyncio,
    "contextvars": contextvars,
    "TaskGroup": virtual_loop.TaskGroup,
    "as_completed": virtual_loop.AsCompleted,
    "US": virtual_loop.US,
    "TICKS": virtual_loop.TICKS,
    "Own": Own,
    "since": since,
    "places": places,
    "context": context,
}


def run(source):
    """Runs one program and gives its log."""
    loop = VirtualLoop(MOST_ITERATIONS)
    log = Log(loop)

    def report(_loop, context):
        for words, name in REPORTS.items():
            if words in context["message"]:
                log.complain(name, describe(context["exception"]))

    def warn(message, *_rest, **_more):
        if never_awaited := NEVER_AWAITED.fullmatch(str(message)):
            log.complain("never awaited", never_awaited[1])

    loop.set_exception_handler(report)
    warnings.showwarning = warn
    warnings.simplefilter("always")
    names = NAMES | {"loop": loop, "log": log}
    try:
        exec(compile(source, "program", "exec"), names)
        result = virtual_loop.run(loop, names["f0"]("0"))
        log.close("ended", show(result))
    except Deadlock:
        log.close("deadlock")
    except Endless:
        log.close("endless")
    except BaseException as exception:
        log.close("raised", describe(exception))
    finally:
        log.is_open = False
        virtual_loop.abandon(loop)
    return "\n".join(log.lines)


sys.unraisablehook = lambda _unraisable: None
gc.disable()
