//! Every ending of every program is replayed by its schedule, and again by the switches alone.

use concurrency_playground::labs::puzzles::on_machine::{replay, what_if};
use concurrency_playground::switch_points::Grain;

use super::schedules::{is_fair, letters};
use super::{explored, programs};

#[test]
fn every_ending_is_replayed() {
    let mut wrong = Vec::new();
    for grain in programs::GRAINS {
        for (name, program) in programs::all(grain) {
            for (ending, schedule) in explored::endings(&program) {
                let told = format!("{name}, {grain:?}, {}", letters(&schedule));
                match replay(&program, &schedule) {
                    Err(astray) => wrong.push(format!("{told}: {astray:?}")),
                    Ok(replayed) if replayed.on_machine.ending() != ending => {
                        wrong.push(format!("{told}: {:?} and not {ending:?}", replayed.on_machine.ending()));
                    }
                    Ok(replayed) if grain != Grain::Await => {
                        let mut again = what_if(&program, replayed.switches.clone());
                        if again.run() != Some(ending) || again.record.order() != replayed.on_machine.record.order() {
                            wrong.push(format!("{told}: not again with {:?}", replayed.switches));
                        }
                    }
                    Ok(_) => {}
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_random_schedule_is_replayed() {
    let mut wrong = Vec::new();
    for grain in programs::GRAINS {
        for (name, program) in programs::all(grain) {
            for round in 0..40_u32 {
                let choices: Vec<u8> = (0..97_u32)
                    .map(|at| ((round * 7919 + at * 104_729).wrapping_mul(2_654_435_761) >> 24) as u8)
                    .collect();
                let schedule = explored::schedule(&program, &choices);
                let told = format!("{name}, {grain:?}, {}", letters(&schedule));
                let is_fair = is_fair(&program, &schedule);
                if let Err(astray) = replay(&program, &schedule)
                    && is_fair
                {
                    wrong.push(format!("{told}: {astray:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
