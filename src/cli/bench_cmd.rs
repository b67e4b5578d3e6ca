//! `hookscope bench`: makes transcripts of any size and measures how fast they load. Kept out of the help.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::{Common, Failure, opening};
use crate::bench::{self, Milestone, Profile};
use crate::load::open::{self, Arrival};
use crate::model::Session;
use crate::source::Store;

/// Arguments of `hookscope bench`.
#[derive(Debug, Clone, Args)]
pub struct BenchArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Clone, Subcommand)]
enum What {
    /// Write a made-up transcript in the real format
    Generate {
        /// How many bytes, as in 500M or 1G
        #[arg(long, default_value = "1G")]
        size: String,
        /// large (about 3 KB a line) or many (short lines)
        #[arg(long, default_value = "large")]
        profile: String,
        /// The same seed makes the same file
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Where to
        file: PathBuf,
    },
    /// Open the screen and fail at once, to see that the terminal comes back
    Panic,
    /// Load a session under the screen and print how long keys take meanwhile
    Keys {
        /// The transcript
        file: PathBuf,
    },
    /// Load a session and print how long it takes, beside `wc -l` and `jq -c .type`
    Load {
        /// The transcript
        file: PathBuf,
    },
}

/// Does what is asked.
///
/// # Errors
/// Unusable words, unreadable or unwritable files.
pub fn run(args: &BenchArgs, common: &Common, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.what {
        What::Generate { size, profile, seed, file } => {
            let bytes = bench::size(size)
                .ok_or_else(|| Failure::new(format!("--size {size}: not a size"), "as in 500M or 1G"))?;
            let profile = Profile::by_name(profile)
                .ok_or_else(|| Failure::new(format!("--profile {profile}: no such profile"), "large or many"))?;
            let mut to = BufWriter::with_capacity(1 << 20, File::create(file)?);
            let made = bench::generate(profile, *seed, bytes, &mut to)?;
            to.flush()?;
            writeln!(out, "{made:?}")?;
        }
        What::Panic => super::screen::fail(common)?,
        What::Keys { file } => super::bench_keys::run(file, common, out)?,
        What::Load { file } => {
            let measured = bench::measure(file, &mut |path, reached| load(path, common, reached))?;
            write!(out, "{}", bench::report(&measured, &bench::compare(file)?))?;
        }
    }
    Ok(())
}

fn load(path: &Path, common: &Common, reached: &mut dyn FnMut(Milestone)) -> io::Result<()> {
    let failed = |failure: Failure| io::Error::other(failure.to_string());
    let sessions = opening::find(&[path.to_owned()], common).map_err(failed)?;
    let mut events = 0;
    for from in &sessions {
        let store = Store::new();
        let mut session = Session::new(crate::dialect::claude_code::DIALECT.id);
        let opened = open::open(from, &opening::request(common), &store, &mut |arrival| {
            if let Arrival::Delta(delta) = arrival {
                session.apply(*delta);
                if !session.events.is_empty() {
                    reached(Milestone::First);
                }
            }
            ControlFlow::Continue(())
        });
        opened.map_err(|error| io::Error::other(error.to_string()))?;
        events += session.events.len() as u64;
    }
    reached(Milestone::All { lines: 0, events });
    Ok(())
}
