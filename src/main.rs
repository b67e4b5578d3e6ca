//! The `hookscope` binary: hands its arguments to the library.

use std::process::ExitCode;

use hookscope::exec::judge;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|arg| arg == judge::SUBCOMMAND) {
        return match judge::serve(std::io::stdin(), std::io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        };
    }
    hookscope::cli::main(std::env::args_os())
}
