//! Small programs for every kind of line, at every grain.

use concurrency_playground::explore::small::{
    Amount, CellId, Condition, ConditionId, Line, Lock, LockId, Operand, Queue, QueueId, RegisterId, Semaphore,
    SemaphoreId, SmallProgram, Step, Test, ThreadCode, Variable,
};
use concurrency_playground::switch_points::{Grain, Operation};

pub const GRAINS: [Grain; 3] = [Grain::Await, Grain::CheckPoint, Grain::Access];

pub const X: CellId = CellId(0);
pub const Y: CellId = CellId(1);
pub const R: RegisterId = RegisterId(0);
pub const OK: RegisterId = RegisterId(1);
pub const L: LockId = LockId(0);
pub const M: LockId = LockId(1);
pub const C: ConditionId = ConditionId(0);
pub const S: SemaphoreId = SemaphoreId(0);
pub const Q: QueueId = QueueId(0);

pub fn number(number: i32) -> Operand {
    Operand::Number(number)
}

pub fn register(id: RegisterId, more: i32) -> Operand {
    Operand::Register(id, more)
}

/// A place at which every grain lets others in.
pub fn open(step: Step) -> Line {
    Line::after(Operation::Await, step)
}

/// One at which only free threads do.
pub fn memory(step: Step) -> Line {
    Line::after(Operation::MemoryAccess, step)
}

/// One at a call, as threads under an interpreter lock have it.
pub fn call(step: Step) -> Line {
    Line::after(Operation::FunctionEntry, step)
}

pub fn glued(step: Step) -> Line {
    Line::glued(step)
}

pub fn read(cell: CellId) -> Step {
    Step::Read { cell, into: R }
}

pub fn write(cell: CellId, more: i32) -> Step {
    Step::Write {
        cell,
        value: register(R, more),
    }
}

pub fn program(threads: Vec<ThreadCode>, grain: Grain) -> SmallProgram {
    SmallProgram {
        threads,
        cells: vec![Variable::within("x", 0, -8, 40), Variable::within("y", 0, -8, 40)],
        registers: vec![Variable::within("r", 0, -8, 48), Variable::within("ok", 0, 0, 1)],
        locks: ["l", "m"].map(|name| Lock { name, protects: vec![] }).to_vec(),
        conditions: vec![Condition { name: "c", lock: L }],
        semaphores: vec![Semaphore {
            name: "s",
            first: 1,
            most: 7,
        }],
        queues: vec![Queue {
            name: "q",
            capacity: 1,
            most: 7,
        }],
        grain,
    }
}

/// Programs by name: together they have every kind of line.
pub fn all(grain: Grain) -> Vec<(&'static str, SmallProgram)> {
    let counter = || vec![memory(read(X)), memory(write(X, 1))];
    let with_call = || vec![memory(read(X)), call(write(X, 1))];
    let with_await = || vec![memory(read(X)), open(write(X, 1))];
    let locked = || {
        vec![
            memory(Step::Acquire(L)),
            memory(read(X)),
            open(write(X, 1)),
            memory(Step::Release(L)),
        ]
    };
    let glued_lock = || {
        vec![
            memory(read(X)),
            glued(Step::Acquire(L)),
            open(write(X, 1)),
            glued(Step::Release(L)),
            memory(Step::Add { cell: Y, amount: 1 }),
        ]
    };
    let cross = |first, second| {
        vec![
            glued(Step::Acquire(first)),
            open(Step::Acquire(second)),
            memory(Step::Add { cell: X, amount: 1 }),
            glued(Step::Release(second)),
            glued(Step::Release(first)),
        ]
    };
    let tries = || {
        vec![
            memory(Step::TryAcquire { lock: L, into: OK }),
            glued(Step::Unless(Test::Equal(register(OK, 0), number(1)), 6)),
            memory(read(X)),
            open(write(X, 1)),
            memory(Step::Release(L)),
            glued(Step::Jump(7)),
            memory(Step::Add { cell: Y, amount: 1 }),
        ]
    };
    let within = || {
        vec![
            open(Step::AcquireWithin { lock: L, into: OK }),
            glued(Step::Unless(Test::NotEqual(register(OK, 0), number(0)), 6)),
            memory(read(X)),
            open(write(X, 1)),
            memory(Step::Release(L)),
            glued(Step::Jump(7)),
            memory(Step::Add { cell: Y, amount: 1 }),
        ]
    };
    let swap = || {
        vec![
            memory(read(X)),
            open(Step::CompareAndSwap {
                cell: X,
                expected: register(R, 0),
                new: register(R, 1),
                into: OK,
            }),
            Line::after(
                Operation::LoopBackEdge,
                Step::Unless(Test::Equal(register(OK, 0), number(1)), 0),
            ),
        ]
    };
    let consumer = || {
        vec![
            memory(Step::Acquire(L)),
            memory(read(X)),
            glued(Step::Unless(Test::Less(register(R, 0), number(1)), 5)),
            glued(Step::Wait(C)),
            call(Step::Jump(1)),
            memory(write(X, -1)),
            glued(Step::Release(L)),
        ]
    };
    let producer = |amount| {
        vec![
            memory(Step::Acquire(L)),
            memory(Step::Add { cell: X, amount: 1 }),
            glued(Step::Notify(C, amount)),
            open(Step::Release(L)),
        ]
    };
    let sleeper = || {
        vec![
            memory(read(X)),
            glued(Step::Unless(Test::Equal(register(R, 0), number(0)), 5)),
            open(Step::Acquire(L)),
            memory(Step::Wait(C)),
            glued(Step::Release(L)),
            memory(Step::Add { cell: Y, amount: 1 }),
        ]
    };
    let semaphore = || {
        vec![
            memory(Step::Down(S)),
            memory(read(X)),
            open(write(X, 1)),
            memory(Step::Up(S)),
        ]
    };
    let puts = || {
        vec![
            glued(Step::Set {
                into: R,
                value: number(1),
            }),
            glued(Step::Put(Q, register(R, 0))),
            glued(Step::Set {
                into: R,
                value: register(R, 1),
            }),
            call(Step::Unless(Test::AtLeast(register(R, 0), number(4)), 1)),
        ]
    };
    let gets = || {
        vec![
            open(Step::Get { queue: Q, into: R }),
            memory(Step::Write {
                cell: X,
                value: register(R, 0),
            }),
            open(Step::Get { queue: Q, into: R }),
            memory(Step::Write {
                cell: Y,
                value: register(R, 0),
            }),
        ]
    };
    let yields = || {
        vec![
            memory(read(X)),
            Line::after(Operation::VoluntaryRelease, Step::Yield),
            open(Step::Yield),
            memory(write(X, 1)),
        ]
    };
    let asserts = || {
        vec![
            glued(Step::Acquire(M)),
            memory(read(X)),
            open(write(X, 1)),
            memory(read(X)),
            glued(Step::Assert(Test::Equal(register(R, 0), number(1)))),
            glued(Step::Release(M)),
        ]
    };
    let adds = || {
        vec![
            open(Step::Add { cell: X, amount: 2 }),
            open(Step::Add { cell: X, amount: -1 }),
        ]
    };
    let races = || {
        vec![
            memory(read(X)),
            open(Step::Assert(Test::Equal(register(R, 0), number(0)))),
            memory(write(X, 1)),
        ]
    };
    let programs = vec![
        ("counter", vec![counter(), counter()]),
        ("counter of three", vec![counter(), counter(), counter()]),
        ("counter with a call", vec![with_call(), with_call()]),
        ("counter with an await", vec![with_await(), with_await(), with_await()]),
        ("locked", vec![locked(), locked(), locked()]),
        ("lock without a place", vec![glued_lock(), glued_lock(), glued_lock()]),
        ("crossed locks", vec![cross(L, M), cross(M, L)]),
        ("try", vec![tries(), tries(), locked()]),
        ("within", vec![within(), within(), locked()]),
        ("swap", vec![swap(), swap()]),
        (
            "condition",
            vec![consumer(), consumer(), producer(Amount::One), producer(Amount::One)],
        ),
        ("condition, all", vec![consumer(), consumer(), producer(Amount::All)]),
        ("missed wake-up", vec![sleeper(), producer(Amount::One)]),
        ("semaphore", vec![semaphore(), semaphore(), semaphore()]),
        ("queue", vec![puts(), gets(), gets()]),
        ("yield", vec![yields(), yields(), counter()]),
        ("assertion", vec![asserts(), asserts()]),
        ("race", vec![races(), races(), adds()]),
        ("free lock", vec![vec![open(Step::Release(L))], locked()]),
        ("wait without the lock", vec![vec![open(Step::Wait(C))], counter()]),
        (
            "notify without the lock",
            vec![vec![open(Step::Notify(C, Amount::All))], counter()],
        ),
    ];
    let named = programs.into_iter();
    named.map(|(name, threads)| (name, program(threads, grain))).collect()
}
