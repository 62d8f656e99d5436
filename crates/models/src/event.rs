//! What long calls report while they run; showing it is the caller's business.

/// Something that happened during a call.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A sentence that a person should read before the work begins: what is fetched, from where, how much.
    Note(&'a str),
    /// How far a stretch of work is. Other work or another name begin a new stretch.
    Progress {
        /// What is being done.
        work: Work,
        /// To which model or file.
        name: &'a str,
        /// Bytes done; may fall when a server makes us start again.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
}

/// What takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Bytes come over the network.
    Fetch,
    /// Bytes of this machine are hashed, at the speed of the disk.
    Check,
}

/// Is told what happens.
pub type OnEvent<'a> = dyn FnMut(Event<'_>) + 'a;

/// One stretch of work under way.
pub(crate) struct Progress<'a> {
    on_event: &'a mut OnEvent<'a>,
    work: Work,
    name: &'a str,
    done: u64,
    total: u64,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(work: Work, name: &'a str, total: u64, to: &'a mut OnEvent<'a>) -> Self {
        let mut progress = Self {
            on_event: to,
            work,
            name,
            done: 0,
            total,
        };
        progress.set(0);
        progress
    }

    pub(crate) fn set(&mut self, done: u64) {
        self.done = done;
        (self.on_event)(Event::Progress {
            work: self.work,
            name: self.name,
            done,
            total: self.total,
        });
    }

    pub(crate) fn advance(&mut self, bytes: u64) {
        self.set(self.done.saturating_add(bytes));
    }
}
