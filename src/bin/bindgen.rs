//! Makes the JavaScript glue and the TypeScript types for one wasm build: `bindgen INPUT.wasm OUT_DIR`.
//!
//! It is not the wasm-bindgen command-line tool: it uses the same code as a library, so `Cargo.lock` holds its
//! version and it can never disagree with the wasm-bindgen that the wasm file was compiled with.

use std::path::PathBuf;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: bindgen INPUT.wasm OUT_DIR";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(input), Some(out_dir), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    // The module path is always given by the caller: a default one would have the glue fetch a file by itself,
    // from an address that bundling changes.
    let made = Bindgen::new()
        .input_path(&input)
        .out_name("playground")
        .web(true)
        .map(|bindgen| bindgen.typescript(true).omit_default_module_path(true))
        .and_then(|bindgen| bindgen.generate(&out_dir));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bindgen: {}: {error:#}", input.display());
            ExitCode::FAILURE
        }
    }
}
