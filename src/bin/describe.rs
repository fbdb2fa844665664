//! Writes what the build needs of the labs beside the wasm files: `describe OUT_DIR`.
//!
//! `labs.json` is the list of labs in teaching order, `text.en.json` every English text by its id, `lessons.en.json`
//! each lab's lesson in Markdown, `figures.json` every published figure with what its model makes of it. Their home is
//! `www/pkg`, and they are never edited: the labs' folders are.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use concurrency_playground::labs::figures::Page;
use concurrency_playground::labs::{LABS, describe, english};
use serde::Serialize;

const USAGE: &str = "usage: describe OUT_DIR";

/// A key that sorts before every id and says where the file comes from. A list has no place for it.
const MADE_BY: (&str, &str) = (
    "#",
    "made by `cargo run --bin describe`; edit src/text and src/labs instead",
);

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(out_dir), None) = (arguments.next(), arguments.next()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match write_all(&out_dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("describe: {}: {error}", out_dir.display());
            ExitCode::FAILURE
        }
    }
}

fn write_all(out_dir: &Path) -> Result<(), Box<dyn Error>> {
    let words = english();
    let labs: Vec<_> = LABS.iter().map(|lab| describe(*lab, &words)).collect();
    let texts: BTreeMap<&str, &str> = std::iter::once(MADE_BY).chain(words.table()).collect();
    let lessons = LABS.iter().map(|lab| (lab.about().id, lab.about().lesson));
    let lessons: BTreeMap<&str, &str> = std::iter::once(MADE_BY).chain(lessons).collect();
    let figures = Page::new(&words)?;
    std::fs::create_dir_all(out_dir)?;
    write(out_dir, "labs.json", &labs)?;
    write(out_dir, "text.en.json", &texts)?;
    write(out_dir, "lessons.en.json", &lessons)?;
    write(out_dir, "figures.json", &figures)
}

fn write(out_dir: &Path, name: &str, content: &impl Serialize) -> Result<(), Box<dyn Error>> {
    let mut text = serde_json::to_string_pretty(content)?;
    text.push('\n');
    Ok(std::fs::write(out_dir.join(name), text)?)
}
