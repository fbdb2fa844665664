//! Walks over a program: its numbering, its size, what it calls, and every program that is a little smaller.
//!
//! Not here: which of the smaller ones still fails; who runs them asks for the next.

use std::collections::BTreeSet;

use super::syntax::{Block, Does, Script, Step, What};

impl Script {
    /// Every step gets a number of its own, from 1, in the order of the text.
    pub fn renumber(&mut self) {
        let mut next = 1;
        self.tops_mut().into_iter().for_each(|block| renumber(block, &mut next));
    }

    /// How many steps are written in it.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.each(&mut |_, _| size += 1);
        size
    }

    /// Every step, and the steps that it is in, outer ones first.
    pub fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Does, &[&'a Does])) {
        let functions = self.functions.iter().map(|function| &function.body);
        for block in functions.chain(&self.callbacks) {
            each(block, &mut Vec::new(), visit);
        }
    }

    /// The names of all functions and callbacks that the main one comes to call: `f0`, `c1` …
    pub fn called(&self) -> BTreeSet<String> {
        let mut called = BTreeSet::new();
        let mut left = vec![Called::Function(0)];
        while let Some(next) = left.pop() {
            let (name, body) = match next {
                Called::Function(number) => (format!("f{number}"), &self.functions[number].body),
                Called::Callback(number) => (format!("c{number}"), &self.callbacks[number]),
            };
            if called.insert(name) {
                each(body, &mut Vec::new(), &mut |does, _| left.extend(does.calls()));
            }
        }
        called
    }

    fn tops_mut(&mut self) -> Vec<&mut Block> {
        let functions = self.functions.iter_mut().map(|function| &mut function.body);
        functions.chain(&mut self.callbacks).collect()
    }

    /// All programs with one thing less: half a function, one step, one handler, or what is around a block.
    pub fn smaller(&self) -> Vec<Self> {
        let mut all = Vec::new();
        for top in 0..self.functions.len() + self.callbacks.len() {
            let length = self.clone().tops_mut()[top].len();
            if length > 2 {
                for half in [0..length / 2, length / 2..length] {
                    let mut smaller = self.clone();
                    smaller.tops_mut()[top].drain(half);
                    all.push(smaller);
                }
            }
        }
        for at in 0..self.size() {
            for change in [Change::Remove, Change::Unwrap, Change::DropCatch, Change::DropFinally] {
                let mut smaller = self.clone();
                let mut left = at;
                let mut tops = smaller.tops_mut().into_iter();
                if tops.find_map(|block| alter(block, &mut left, change)) == Some(true) {
                    all.push(smaller);
                }
            }
        }
        if self.is_eager {
            all.push(Self {
                is_eager: false,
                ..self.clone()
            });
        }
        all
    }
}

enum Called {
    Function(usize),
    Callback(usize),
}

#[derive(Clone, Copy)]
enum Change {
    Remove,
    Unwrap,
    DropCatch,
    DropFinally,
}

/// Changes the step that stands so many steps further on; whether it could, if it was found.
fn alter(block: &mut Block, left: &mut usize, change: Change) -> Option<bool> {
    for place in 0..block.len() {
        if *left == 0 {
            return Some(alter_step(block, place, change));
        }
        *left -= 1;
        let found = block[place]
            .does
            .blocks_mut()
            .into_iter()
            .find_map(|inner| alter(inner, left, change));
        if found.is_some() {
            return found;
        }
    }
    None
}

fn alter_step(block: &mut Block, place: usize, change: Change) -> bool {
    match (change, &mut block[place].does) {
        (Change::Remove, _) => drop(block.remove(place)),
        (Change::DropCatch, Does::Try { catches, .. }) if !catches.is_empty() => drop(catches.pop()),
        (Change::DropFinally, Does::Try { finally, .. }) if finally.is_some() => *finally = None,
        (Change::Unwrap, does) => match does.blocks_mut().into_iter().next().map(std::mem::take) {
            Some(inner) => drop(block.splice(place..=place, inner)),
            None => return false,
        },
        _ => return false,
    }
    true
}

impl Does {
    /// The blocks in a step; the first is what it is around.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Self::Try { body, catches, finally } => {
                let catches = catches.iter().map(|catch| &catch.body);
                [body].into_iter().chain(catches).chain(finally).collect()
            }
            Self::Repeat(_, body) | Self::Forever(_, body) | Self::With(_, body) => vec![body],
            Self::WithVariable(_, body) => vec![body],
            Self::Group { body, .. } | Self::Timeout { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }

    fn calls(&self) -> Vec<Called> {
        let fresh = |what: &What| match what {
            What::Function(function) => Some(Called::Function(*function)),
            What::Ref(_) => None,
        };
        match self {
            Self::Call { function, .. } | Self::Forget(function) => vec![Called::Function(*function)],
            Self::Spawn { function, .. } | Self::GroupSpawn { function, .. } => vec![Called::Function(*function)],
            Self::WaitFor { what, .. } | Self::Shield(what) => fresh(what).into_iter().collect(),
            Self::Gather { what, .. } => what.iter().filter_map(fresh).collect(),
            Self::WhenDone { callback, .. }
            | Self::CallSoon { callback, .. }
            | Self::CallLater { callback, .. }
            | Self::CallAt { callback, .. } => vec![Called::Callback(*callback)],
            _ => Vec::new(),
        }
    }

    fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Self::Try { body, catches, finally } => {
                let catches = catches.iter_mut().map(|catch| &mut catch.body);
                [body].into_iter().chain(catches).chain(finally).collect()
            }
            Self::WithVariable(_, body) => vec![body],
            Self::Repeat(_, body) | Self::Forever(_, body) | Self::With(_, body) => vec![body],
            Self::Group { body, .. } | Self::Timeout { body, .. } => vec![body],
            _ => Vec::new(),
        }
    }
}

fn renumber(block: &mut Block, next: &mut u32) {
    for Step { number, does } in block {
        *number = *next;
        *next += 1;
        does.blocks_mut().into_iter().for_each(|inner| renumber(inner, next));
    }
}

fn each<'a>(block: &'a Block, around: &mut Vec<&'a Does>, visit: &mut impl FnMut(&'a Does, &[&'a Does])) {
    for Step { does, .. } in block {
        visit(does, around);
        around.push(does);
        does.blocks().into_iter().for_each(|inner| each(inner, around, visit));
        around.pop();
    }
}
