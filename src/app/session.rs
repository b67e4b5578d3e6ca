//! The session, shared between the screen, which alone writes it, and the jobs, which read it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::time::Duration;

use crate::model::Session;

/// How long a job that reads again and again lets a waiting delta go first, and how often it looks.
const POLITE: (u32, Duration) = (10, Duration::from_millis(1));

/// One session, read by jobs while it grows. Only the event loop writes, and never waits for that: a delta that
/// finds a job reading is applied a little later. So reading never waits long either.
#[derive(Clone, Debug)]
pub struct SharedSession(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    session: RwLock<Session>,
    /// A delta found a job reading.
    wanted: AtomicBool,
}

impl SharedSession {
    /// Shares a session.
    pub fn new(session: Session) -> SharedSession {
        SharedSession(Arc::new(Shared { session: RwLock::new(session), wanted: AtomicBool::new(false) }))
    }

    /// To read. A writer that panicked left at worst a delta half applied: still good to look at.
    pub fn read(&self) -> RwLockReadGuard<'_, Session> {
        self.0.session.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To read once more, for a job that has just let go: what was loaded in the meantime goes first.
    pub fn read_again(&self) -> RwLockReadGuard<'_, Session> {
        let (times, pause) = POLITE;
        for _ in 0..times {
            if !self.0.wanted.load(Ordering::Relaxed) {
                break;
            }
            std::thread::sleep(pause);
        }
        self.read()
    }

    /// To write, unless a job is reading.
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, Session>> {
        let guard = match self.0.session.try_write() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        };
        self.0.wanted.store(guard.is_none(), Ordering::Relaxed);
        guard
    }
}
