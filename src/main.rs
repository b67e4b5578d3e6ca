//! The `hookscope` binary: hands its arguments to the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|arg| arg == hookscope::exec::judge::SUBCOMMAND) {
        return match hookscope::exec::judge::serve(std::io::stdin(), std::io::stdout()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        };
    }
    ExitCode::SUCCESS
}
