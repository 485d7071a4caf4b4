//! `crownhead worker`: plays games for a run that is trained elsewhere.

use fleet::{Machine, PATIENCE, WorkEvent, work};
use run::set_after;
use share::{machine_of, open, variables, volunteer};

use super::stop_on_ctrl_c;
use crate::options::{ForArg, ThreadsArg};
use crate::output::Output;

/// Play games for a run that is trained elsewhere
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("duration", |arg| {
        arg.help("How long to play, as 90s, 45m or 1h30m [default: until the trainer has finished]")
    }),
    after_help = "\
The machine first plays a few games whose result must equal the trainer's. It
may come and go at any time, also by a kill: other machines play what it has not
shared. It ends when the trainer has finished, or when the place has been gone
for ten minutes.

Examples:
  crownhead worker --join /shared/english
  crownhead worker --join /shared/english --threads 8 --for 2h
  crownhead worker --join s3://bucket/english
  crownhead worker --join http://ada:2b7e151628aed2a6abf7158809cf4f3c@host:8065"
)]
pub(crate) struct WorkerArgs {
    /// The place that crownhead train was given as --fleet, or the address of its gateway:
    /// http://NAME:SECRET@HOST:PORT
    #[arg(long, value_name = "URL")]
    join: String,
    #[command(flatten)]
    threads: ThreadsArg,
    /// The device that computes networks: cpu, or where the run has fleet.mode=free also flex,
    /// wgpu or cuda
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    device: String,
    #[command(flatten)]
    time: ForArg,
}

impl WorkerArgs {
    pub(crate) fn run(self, output: &mut Output) -> anyhow::Result<()> {
        let share = open(&self.join, &variables())?;
        let stop = stop_on_ctrl_c()?;
        if let Some(limit) = self.time.duration {
            set_after(limit, &stop);
        }
        let name = match volunteer(&self.join) {
            Some(volunteer) => machine_of(volunteer, &name()),
            None => name(),
        };
        let machine = Machine {
            name: &name,
            threads: self.threads.count(),
            device: &self.device,
            patience: PATIENCE,
        };
        let mut waited_for = String::new();
        let done = work(&*share, &machine, &stop, &mut |event| match event {
            WorkEvent::Joined(variant) => note!("{name} plays {variant} for {}.", share.place()),
            WorkEvent::Began(assignment) => note!("{assignment}."),
            WorkEvent::Shared(_) => {}
            WorkEvent::Waits(reason) if reason == waited_for => {}
            WorkEvent::Waits(reason) => {
                note!("Waiting: {reason}");
                waited_for = reason;
            }
        })?;
        if output.is_json() {
            return output.json(&done);
        }
        let (games, rate) = (done.games, done.games_per_s);
        note!("Shared {games} games, {rate:.1} per second.");
        Ok(())
    }
}

/// A name that is unique in the fleet: host and process.
fn name() -> String {
    let host = gethostname::gethostname();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let host: String = host.to_string_lossy().chars().map(plain).collect();
    format!("{host}-{}", std::process::id())
}
