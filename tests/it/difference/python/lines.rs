//! Steps that are lines: what each does, and what it tells the log.
//!
//! Not here: steps with blocks of their own.

use super::super::syntax::{Does, Raised, Settled, When};
use super::names::{eager, list, lock, message, reference, some, us, what};

/// A step that is one line and gives nothing worth telling, or nothing at all.
pub(super) fn statement(number: u32, does: &Does) -> Option<String> {
    let label = format!("me + \".{number}\"");
    let text = match does {
        Does::Sleep(time) => format!("await asyncio.sleep({})", us(*time)),
        Does::Block(time) => format!("loop.block({})", us(*time)),
        Does::Forget(function) => format!("f{function}(me)"),
        Does::Raise(raised) => match raised {
            Raised::ValueError => format!("raise ValueError(\"v{number}\")"),
            Raised::Own => format!("raise Own({number})"),
            Raised::RuntimeError => format!("raise RuntimeError(\"r{number}\")"),
            Raised::Timeout => format!("raise TimeoutError(\"t{number}\")"),
            Raised::Cancelled => format!("raise asyncio.CancelledError(\"c{number}\")"),
            Raised::Again => "raise".to_owned(),
        },
        Does::SetVariable(variable) => format!("v[{variable}].set({number})"),
        Does::Spawn {
            task,
            function,
            is_eager,
        } => {
            format!(
                "t[{task}] = asyncio.create_task(f{function}({label}){})",
                eager(*is_eager)
            )
        }
        Does::GroupSpawn {
            group,
            task,
            function,
            is_eager,
        } => {
            format!(
                "t[{task}] = g[{group}].create_task(f{function}({label}){})",
                eager(*is_eager)
            )
        }
        Does::WhenDone { what, callback } => {
            format!("{}.add_done_callback(lambda _: c{callback}({label}))", reference(*what))
        }
        Does::MakeFuture(future) => format!("f[{future}] = loop.create_future()"),
        Does::Settle { future, with } => match with {
            Settled::Value => format!("f[{future}].set_result({number})"),
            Settled::Exception => format!("f[{future}].set_exception(Own({number}))"),
            Settled::Cancelled => format!("f[{future}].cancel()"),
        },
        Does::CallSoon { callback, handle } => format!("h[{handle}] = loop.call_soon(c{callback}, {label})"),
        Does::CallLater {
            callback,
            handle,
            delay,
        } => {
            format!("h[{handle}] = loop.call_later({}, c{callback}, {label})", us(*delay))
        }
        Does::CallAt { callback, handle, time } => {
            format!(
                "h[{handle}] = loop.call_at(loop.at({}), c{callback}, {label})",
                us(*time)
            )
        }
        Does::CancelHandle(handle) => format!("if h[{handle}]: h[{handle}].cancel()"),
        Does::Reschedule { timeout, when } => {
            let when = match when {
                When::Never => "None".to_owned(),
                When::In(delay) => format!("loop.time() + {}", us(*delay)),
                When::At(time) => format!("loop.at({})", us(*time)),
            };
            format!("w[{timeout}].reschedule({when})")
        }
        Does::Release(lockable) => format!("{}.release()", lock(*lockable)),
        Does::Notify(condition, count) => format!("d[{condition}].notify({count})"),
        Does::NotifyAll(condition) => format!("d[{condition}].notify_all()"),
        Does::EventSet(event) => format!("e[{event}].set()"),
        Does::EventClear(event) => format!("e[{event}].clear()"),
        Does::BarrierAbort(barrier) => format!("await b[{barrier}].abort()"),
        Does::BarrierReset(barrier) => format!("await b[{barrier}].reset()"),
        Does::Put(queue, item) => format!("await q[{queue}].put({item})"),
        Does::PutNow(queue, item) => format!("q[{queue}].put_nowait({item})"),
        Does::TaskDone(queue) => format!("q[{queue}].task_done()"),
        Does::Join(queue) => format!("await q[{queue}].join()"),
        Does::ShutDown(queue, false) => format!("q[{queue}].shutdown()"),
        Does::ShutDown(queue, true) => format!("q[{queue}].shutdown(immediate=True)"),
        _ => return None,
    };
    Some(text)
}

/// What a step tells the log when it is over: a word, and a value where it gives one.
pub(super) fn told(number: u32, does: &Does) -> Option<String> {
    let text = match does {
        Does::Say(words) => format!("\"{words}\""),
        Does::Sleep(_) => "\"slept\"".to_owned(),
        Does::Block(_) => "\"blocked\"".to_owned(),
        Does::Time => "\"time\", loop.time() // TICKS".to_owned(),
        Does::Call { is_object: true, .. } => "\"returned\", await c".to_owned(),
        Does::Call { function, .. } => format!("\"returned\", await f{function}(me)"),
        Does::LookContext => "\"context\", context(caught)".to_owned(),
        Does::Increment { is_told: true, .. } => "\"wrote\", old + 1".to_owned(),
        Does::GetVariable(variable) => format!("\"variable\", v[{variable}].get()"),
        Does::CountTasks => "\"tasks\", len(asyncio.all_tasks())".to_owned(),
        Does::Await(what) => format!("\"got\", await {}", reference(*what)),
        Does::AwaitSelf => "\"got\", await asyncio.current_task()".to_owned(),
        Does::Cancel { what, has_message } => {
            format!(
                "\"cancels\", {}.cancel({})",
                reference(*what),
                message(number, *has_message)
            )
        }
        Does::CancelSelf { has_message } => {
            format!(
                "\"cancels\", asyncio.current_task().cancel({})",
                message(number, *has_message)
            )
        }
        Does::Uncancel => "\"uncancels\", asyncio.current_task().uncancel()".to_owned(),
        Does::Cancelling => "\"cancelling\", asyncio.current_task().cancelling()".to_owned(),
        Does::IsDone(what) => {
            let what = reference(*what);
            format!("\"done\", {what}.done(), {what}.cancelled()")
        }
        Does::Result(what) => format!("\"result\", {}.result()", reference(*what)),
        Does::Exception(what) => format!("\"exception\", {}.exception()", reference(*what)),
        Does::LookTimeout(timeout) => format!("\"timeout\", w[{timeout}].expired(), since(w[{timeout}].when())"),
        Does::WaitFor { what: one, limit } => {
            format!(
                "\"got\", await asyncio.wait_for({}, {})",
                what(number, 0, *one),
                some(*limit)
            )
        }
        Does::Gather {
            what: all,
            returns_exceptions,
        } => {
            let all = list(all.iter().enumerate().map(|(place, one)| what(number, place, *one)));
            let option = if *returns_exceptions {
                ", return_exceptions=True"
            } else {
                ""
            };
            format!("\"gathered\", await asyncio.gather(*[{all}]{option})")
        }
        Does::Wait { .. } => "\"waited\", places(of, done), places(of, pending)".to_owned(),
        Does::Shield(one) => format!("\"got\", await asyncio.shield({})", what(number, 0, *one)),
        Does::Acquire(lockable) => format!("\"acquired\", await {}.acquire()", lock(*lockable)),
        Does::Release(_) => "\"released\"".to_owned(),
        Does::IsLocked(lockable) => format!("\"locked\", {}.locked()", lock(*lockable)),
        Does::ConditionWait(condition) => format!("\"woken\", await d[{condition}].wait()"),
        Does::ConditionWaitFor { condition, cell, least } => {
            format!("\"woken\", await d[{condition}].wait_for(lambda: x[{cell}] >= {least})")
        }
        Does::EventWait(event) => format!("\"woken\", await e[{event}].wait()"),
        Does::IsSet(event) => format!("\"set\", e[{event}].is_set()"),
        Does::BarrierWait(barrier) => format!("\"place\", await b[{barrier}].wait()"),
        Does::BarrierAbort(_) | Does::BarrierReset(_) => "\"over\"".to_owned(),
        Does::LookBarrier(barrier) => format!("\"barrier\", b[{barrier}].n_waiting, b[{barrier}].broken"),
        Does::Put(..) | Does::PutNow(..) => "\"put\"".to_owned(),
        Does::Get(queue) => format!("\"got\", await q[{queue}].get()"),
        Does::GetNow(queue) => format!("\"got\", q[{queue}].get_nowait()"),
        Does::Join(_) => "\"joined\"".to_owned(),
        Does::LookQueue(queue) => format!("\"queue\", q[{queue}].qsize(), q[{queue}].empty(), q[{queue}].full()"),
        _ => return None,
    };
    Some(text)
}
