//! Groups of processes that end together.

use std::io;
use std::process::{Child, Command};

/// The process group of an engine and its descendants, led by a keeper: a shell that waits for the
/// end of its input and then kills the group. Only this process holds the other end of that input,
/// so the group ends with this process, however that ends. The group gets no Ctrl-C from the
/// terminal; the match ends its engines.
///
/// Processes that leave the group, as daemons do, are not ended.
#[cfg(unix)]
pub(super) struct Group(Child);

#[cfg(unix)]
impl Group {
    const KEEPER: &str = "trap '' HUP INT QUIT TERM; read -r line; kill -KILL 0";

    /// Creates a group for the process of `command`.
    pub(super) fn start(command: &mut Command) -> io::Result<Group> {
        use std::os::unix::process::CommandExt as _;
        let keeper = Command::new("sh")
            .args(["-c", Group::KEEPER])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| {
                io::Error::other(format!("sh, which is needed to end the engine: {error}"))
            })?;
        command.process_group(keeper.id().cast_signed());
        Ok(Group(keeper))
    }

    /// Adds a process that was started with the command.
    pub(super) fn add(&self, _: &Child) -> io::Result<()> {
        Ok(())
    }

    /// Ends all processes of the group.
    pub(super) fn end(&mut self) {
        // Closes the keeper's input. It fails only if the keeper has already been ended.
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// The job of an engine and its descendants. Only this process has a handle of it, and the last
/// handle ends the job, so it ends with this process, however that ends. The engine gets no Ctrl-C
/// from the console; the match ends its engines.
#[cfg(windows)]
pub(super) struct Group(Option<win32job::Job>);

#[cfg(windows)]
impl Group {
    /// The creation flag of a process that gets no Ctrl-C.
    const NEW_PROCESS_GROUP: u32 = 0x200;

    /// Creates a job for the process of `command`.
    pub(super) fn start(command: &mut Command) -> io::Result<Group> {
        use std::os::windows::process::CommandExt as _;
        let mut limits = win32job::ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = win32job::Job::create_with_limit_info(&limits)?;
        command.creation_flags(Group::NEW_PROCESS_GROUP);
        Ok(Group(Some(job)))
    }

    /// Adds a process that was started with the command. Processes that it has already started,
    /// in its first microseconds, are left out.
    pub(super) fn add(&self, child: &Child) -> io::Result<()> {
        use std::os::windows::io::AsRawHandle as _;
        let Some(job) = &self.0 else { return Ok(()) };
        Ok(job.assign_process(child.as_raw_handle() as isize)?)
    }

    /// Ends all processes of the job.
    pub(super) fn end(&mut self) {
        self.0 = None;
    }
}

/// On other systems only the engine itself is ended.
#[cfg(not(any(unix, windows)))]
pub(super) struct Group;

#[cfg(not(any(unix, windows)))]
impl Group {
    pub(super) fn start(_: &mut Command) -> io::Result<Group> {
        Ok(Group)
    }

    pub(super) fn add(&self, _: &Child) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn end(&mut self) {}
}
