"""CPython's own asyncio in virtual time: the loop that random programs run on to be compared with the machine.

Nothing of asyncio is replaced but what is left to chance: the selector never waits but sets the clock, and where asyncio
walks over a set of tasks (a group that aborts, a run that ends, an as_completed that begins) it meets them in the order
of their making or naming, which is one of the orders that a set may have.

The clock is a whole number: nanoseconds times TICKS, plus one tick for each reading so far. So two deadlines in the same
nanosecond stand in the order in which they were asked for, and both are due when that nanosecond has come.

Not here: what programs say (words.py), and who compares (run.mjs).
"""

import asyncio
from asyncio import base_events, runners, tasks

TICKS = 1 << 20
US = 1_000 * TICKS


class Deadlock(BaseException):
    """Nothing is ready and no timer is set: the program can never go on."""


class Endless(BaseException):
    """The program has said enough, or gone round often enough, to be compared."""


class SettingSelector:
    """Waits for nothing: there is no input and no output here."""

    def __init__(self, loop):
        self.loop = loop

    def select(self, timeout):
        loop = self.loop
        loop.iterations += 1
        if loop.iterations > loop.most_iterations or loop.has_said_enough:
            raise Endless
        if timeout is None:
            raise Deadlock
        if timeout > 0:
            # The head's own time, not the sum of now and the wait: the loop looks at the clock once more in between.
            loop.now = max(loop.now, loop._scheduled[0]._when // TICKS)
        return []

    def close(self):
        pass

    def get_map(self):
        return {}


class VirtualLoop(base_events.BaseEventLoop):
    """`now` is in nanoseconds; `block` stands for `time.sleep` in the middle of a callback."""

    def __init__(self, most_iterations):
        super().__init__()
        self.now = 0
        self.readings = 0
        self.iterations = 0
        self.most_iterations = most_iterations
        self.has_said_enough = False
        self.all_tasks = []
        self._selector = SettingSelector(self)
        self._clock_resolution = 1

    def time(self):
        self.readings += 1
        return self.now * TICKS + self.readings

    def at(self, time):
        """A point in time given in whole ticks, as the clock would read then."""
        self.readings += 1
        return time // TICKS * TICKS + self.readings

    def block(self, time):
        self.now += time // TICKS

    def create_task(self, coro, **options):
        # Only kept: a task that nobody holds might be collected while it waits.
        task = super().create_task(coro, **options)
        self.all_tasks.append(task)
        return task

    def _process_events(self, event_list):
        pass

    def _write_to_self(self):
        pass


class InOrder(dict):
    """What asyncio needs of a set, in the order of adding."""

    def add(self, item):
        self[item] = None

    def discard(self, item):
        self.pop(item, None)


class TaskGroup(asyncio.TaskGroup):
    """The group of asyncio, with its tasks in order."""

    def __init__(self):
        super().__init__()
        self._tasks = InOrder()


class AsCompleted(tasks._AsCompletedIterator):
    """What asyncio.as_completed returns, looking at its futures in order."""

    def __init__(self, futures, timeout=None):
        super().__init__((), None)
        for future in dict.fromkeys(futures):
            future.add_done_callback(self._handle_completion)
            self._todo.add(future)
        self._todo_left = len(self._todo)
        if self._todo and timeout is not None:
            self._timeout_handle = asyncio.get_running_loop().call_later(timeout, self._handle_timeout)


def number(task):
    """Tasks are named Task-1, Task-2 … as they are made."""
    return int(task.get_name()[5:])


# What runners.py asks for when a run ends.
set_of_all_tasks = tasks.all_tasks
tasks.all_tasks = lambda loop=None: sorted(set_of_all_tasks(loop), key=number)


def run(loop, main):
    """As asyncio.run does. A deadlock is left as it is: what could be cancelled then never had its turn."""
    asyncio._set_running_loop(None)
    runner = runners.Runner(loop_factory=lambda: loop)
    try:
        result = runner.run(main)
    except (Deadlock, Endless):
        raise
    except BaseException:
        runner.close()
        raise
    runner.close()
    return result


def abandon(loop):
    """Ends what a run has left behind now, on a loop that takes nothing more, not when it is collected."""
    asyncio._set_running_loop(None)
    loop._ready.clear()
    loop._scheduled.clear()
    loop.close()
    asyncio._set_running_loop(loop)
    for task in loop.all_tasks:
        coroutine = task.get_coro()
        while coroutine is not None:
            try:
                coroutine.close()
                break
            except BaseException:
                # It raised, or it awaited something in its cleanup: on from there.
                continue
    asyncio._set_running_loop(None)
