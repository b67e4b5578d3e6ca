//! The session, shared between the screen, which alone writes it, and the jobs, which read it.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

use crate::model::Session;

/// One session, read by jobs while it grows. Only the event loop writes, and never waits for that: a delta that
/// finds a job reading is applied a little later. So reading never waits long either.
#[derive(Clone, Debug)]
pub struct SharedSession(Arc<RwLock<Session>>);

impl SharedSession {
    /// Shares a session.
    pub fn new(session: Session) -> SharedSession {
        SharedSession(Arc::new(RwLock::new(session)))
    }

    /// To read. A writer that panicked left at worst a delta half applied: still good to look at.
    pub fn read(&self) -> RwLockReadGuard<'_, Session> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To write, unless a job is reading.
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, Session>> {
        match self.0.try_write() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}
