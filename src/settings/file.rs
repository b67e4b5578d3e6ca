//! Getting at the bytes of a settings file: regular files of a bearable size only, nothing is started.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::model::Time;

/// The most that is read of one settings file, in bytes.
pub const LARGEST: u64 = 16 << 20;

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Missing,
    /// Something that can't be read as text, and why.
    Unreadable(String),
    /// A text, and when it was last changed.
    Text {
        /// The words.
        text: String,
        /// Modification time.
        changed: Time,
    },
}

/// Reads a file. Never follows a pipe or a device: it is not opened at all.
pub fn read(path: &Path) -> Content {
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if absent(&error) => return Content::Missing,
        Err(error) => return Content::Unreadable(format!("it can't be read: {error}")),
    };
    if !meta.is_file() {
        let what = if meta.is_dir() { "a folder" } else { "no regular file" };
        return Content::Unreadable(format!("it is {what}"));
    }
    if meta.len() > LARGEST {
        return Content::Unreadable(too_large());
    }
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes)) {
        Ok(_) if bytes.len() as u64 > LARGEST => Content::Unreadable(too_large()),
        Ok(_) => match decode(bytes) {
            Ok(text) => Content::Text { text, changed: changed(&meta) },
            Err(why) => Content::Unreadable(why),
        },
        Err(error) => Content::Unreadable(format!("it can't be read: {error}")),
    }
}

fn too_large() -> String {
    format!("it is larger than {} MB", LARGEST >> 20)
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Bytes as UTF-8 text, or why they are none.
pub fn decode(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("it is UTF-16 text, settings are UTF-8: save it anew".into());
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        format!("it is not UTF-8 text (a stray byte on line {line})")
    })
}

/// When a file was last changed.
pub fn changed(meta: &Metadata) -> Time {
    let Ok(when) = meta.modified() else { return Time::UNKNOWN };
    match when.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).map_or(Time::UNKNOWN, Time),
        Err(before) => i64::try_from(before.duration().as_millis()).map_or(Time::UNKNOWN, |ms| Time(-ms)),
    }
}
