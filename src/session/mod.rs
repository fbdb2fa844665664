//! Requests in, replies out: plain Rust without a clock, a thread or a browser.
//!
//! Not here: what a lab measures (`labs`), in which order (`measure`), and doing it (the page and its workers).
//!
//! **Invariant**: every request gets exactly one reply, and none makes the session panic. A request that makes no
//! sense in the present state is rejected; an outcome that cannot answer the action due ends the run, because there
//! is no way to go on from it.

mod measured;
#[cfg(feature = "model")]
mod modelled;
mod request;
mod run;
mod shown;

use crate::text::{DEFAULT_LANGUAGE, Words};
use crate::wire::{ActionOutcome, Choice, Environment, Mode, RawValue, Refusal, Reply, Request, RunRequest, Sabotage};
use run::{Due, Run};

/// Languages a session keeps at most; more would be a page that talks without end.
const MOST_LANGUAGES: usize = 32;

/// One run at a time, and the words of the languages that the page has handed over.
#[derive(Debug)]
pub struct Session {
    /// By their codes; few enough to look through.
    languages: Vec<(String, Words)>,
    state: State,
    /// What is wrong with the models, in tests.
    sabotage: Option<Sabotage>,
}

/// Whether something runs.
#[derive(Debug)]
enum State {
    /// Nothing runs; entered at first, after a result, a refusal, a cancel or a nonsensical outcome. Next: `Running`.
    Idle,
    /// An action is due from the page, or its asking again; entered by a start. Excludes another start. Next: `Idle`.
    Running(Box<Run>),
}

impl Default for Session {
    /// Natively the English words are compiled in; in the browser a session is mute until it is spoken to.
    fn default() -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        let languages = vec![(DEFAULT_LANGUAGE.to_owned(), crate::labs::english())];
        #[cfg(target_arch = "wasm32")]
        let languages = Vec::new();
        Self {
            languages,
            state: State::Idle,
            sabotage: None,
        }
    }
}

impl Session {
    /// A session whose models have a fault, to see their claims fail. No request can ask for one.
    #[cfg(not(target_arch = "wasm32"))]
    #[must_use]
    pub fn sabotaged(fault: Sabotage) -> Self {
        Self {
            sabotage: Some(fault),
            ..Self::default()
        }
    }

    /// Answers one request.
    pub fn handle(&mut self, request: Request) -> Reply {
        match request {
            Request::Speak { language, table } => self.speak(&language, &table),
            Request::Start { run, environment } => self.start(&run, environment),
            Request::Continue { outcome } => self.answered(outcome),
            Request::GoOn => self.ask_again(),
            Request::Look {
                run,
                environment,
                at,
                choice,
            } => self.look(&run, &environment, at, choice),
            Request::Cancel => {
                self.state = State::Idle;
                Reply::Ready
            }
        }
    }

    fn speak(&mut self, language: &str, table: &str) -> Reply {
        if self.languages.len() >= MOST_LANGUAGES && self.known(language).is_none() {
            return Reply::Rejected {
                detail: format!("a session keeps at most {MOST_LANGUAGES} languages"),
            };
        }
        match Words::parse(language, table) {
            Ok(words) => {
                self.languages.retain(|(code, _)| code != language);
                self.languages.push((language.to_owned(), words));
                Reply::Ready
            }
            Err(detail) => Reply::Rejected { detail },
        }
    }

    fn start(&mut self, request: &RunRequest, environment: Environment) -> Reply {
        if matches!(self.state, State::Running(_)) {
            return Reply::Rejected {
                detail: "a run is under way: cancel it first".to_owned(),
            };
        }
        let words = match self.words_for(&request.language) {
            Ok(words) => words,
            Err(reply) => return *reply,
        };
        match request::check(request, &environment, &words) {
            Ok(request::Checked { mode: Mode::Model, .. }) if !cfg!(feature = "model") => Reply::Rejected {
                detail: "this build has no machine: ask the one with the models".to_owned(),
            },
            Ok(request::Checked { lab, mode, asked }) => {
                self.state = State::Running(Box::new(Run::new(lab, mode, asked, environment, words, self.sabotage)));
                self.next()
            }
            Err(refusal) => Reply::Refused { refusal },
        }
    }

    fn look(&self, request: &RunRequest, environment: &Environment, at: Option<u32>, choice: Choice) -> Reply {
        let words = match self.words_for(&request.language) {
            Ok(words) => words,
            Err(reply) => return *reply,
        };
        match request::look(request, environment, at, choice, &words) {
            Ok(position) => Reply::Stands { position },
            Err(refusal) => Reply::Refused { refusal },
        }
    }

    fn answered(&mut self, outcome: ActionOutcome) -> Reply {
        let State::Running(run) = &mut self.state else {
            return Reply::Rejected {
                detail: "nothing runs: there is nothing to continue".to_owned(),
            };
        };
        match run.answered(outcome) {
            Ok(()) => self.next(),
            Err(detail) => {
                self.state = State::Idle;
                Reply::Rejected {
                    detail: format!("the run was given up: {detail}"),
                }
            }
        }
    }

    fn ask_again(&mut self) -> Reply {
        match &self.state {
            State::Running(run) if run.may_be_asked_again() => self.next(),
            _ => Reply::Rejected {
                detail: "no model runs: there is nothing to go on with".to_owned(),
            },
        }
    }

    /// Asks for the next action, goes on with the model, or ends the run.
    fn next(&mut self) -> Reply {
        let State::Running(run) = &mut self.state else {
            return Reply::Rejected {
                detail: "nothing runs".to_owned(),
            };
        };
        match run.go_on() {
            Due::Action(action, progress) => Reply::Perform {
                action: *action,
                progress,
            },
            #[cfg(feature = "model")]
            Due::AskAgain(progress) => Reply::Working { progress },
            Due::Result(result) => {
                self.state = State::Idle;
                Reply::Finished { result: *result }
            }
        }
    }

    fn known(&self, language: &str) -> Option<&Words> {
        let found = self.languages.iter().find(|(code, _)| code == language);
        found.map(|(_, words)| words)
    }

    fn words_for(&self, language: &RawValue) -> Result<Words, Box<Reply>> {
        let first = || self.languages.first().map(|(_, words)| words);
        let Some(fallback) = self.known(DEFAULT_LANGUAGE).or_else(first) else {
            return Err(Box::new(Reply::Rejected {
                detail: "no words yet: speak before start".to_owned(),
            }));
        };
        let refused = |refusal: Refusal| Box::new(Reply::Refused { refusal });
        match language {
            RawValue::Missing => Ok(fallback.clone()),
            RawValue::Text { value } | RawValue::Written { value } => match self.known(value) {
                Some(words) => Ok(words.clone()),
                None => Err(refused(request::unknown_language(
                    value,
                    self.languages.iter().map(|(code, _)| code),
                    fallback,
                ))),
            },
            other => Err(refused(request::wrong_language(other, fallback))),
        }
    }
}
