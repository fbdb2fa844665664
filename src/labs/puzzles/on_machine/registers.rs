//! A thread's own variables, and what lines ask of them. Not here: anything shared.

use crate::explore::small::{Failure, Operand, RegisterId, SmallProgram, Test};

/// The values of one thread's registers.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    values: Vec<i64>,
}

impl Registers {
    pub fn new(program: &SmallProgram) -> Self {
        let first = program.registers.iter().map(|register| register.first.into());
        Self {
            values: first.collect(),
        }
    }

    pub fn value(&self, operand: Operand) -> i64 {
        match operand {
            Operand::Number(number) => number.into(),
            Operand::Register(id, more) => {
                let value = self.values.get(usize::from(id.0)).copied();
                value.unwrap_or_default() + i64::from(more)
            }
        }
    }

    pub fn holds(&self, test: Test) -> bool {
        match test {
            Test::Equal(one, other) => self.value(one) == self.value(other),
            Test::NotEqual(one, other) => self.value(one) != self.value(other),
            Test::Less(one, other) => self.value(one) < self.value(other),
            Test::AtLeast(one, other) => self.value(one) >= self.value(other),
        }
    }

    /// Sets a register, if the number is within the ends that the program states for it.
    pub fn set(&mut self, program: &SmallProgram, id: RegisterId, value: i64) -> Result<(), Failure> {
        let index = usize::from(id.0);
        let (Some(register), Some(place)) = (program.registers.get(index), self.values.get_mut(index)) else {
            return Err(Failure::OutOfRange);
        };
        if (i64::from(register.least)..=i64::from(register.most)).contains(&value) {
            *place = value;
            Ok(())
        } else {
            Err(Failure::OutOfRange)
        }
    }
}
