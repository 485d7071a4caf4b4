//! Pondering: searches on the opponent's time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engine::Control;

use crate::player_pool::Order;

/// Time that a player's move waits for its pondering search to end. After that it answers without
/// the results of pondering.
const PATIENCE: Duration = Duration::from_millis(200);

/// A pondering player, and the seed of its game.
pub(crate) type Seat = (Order, u64);

/// The pondering searches. Each ends when its player has to move, when its client disconnects, or
/// when another search needs its slot.
#[derive(Default)]
pub(crate) struct Ponders {
    running: Mutex<Vec<(Seat, Arc<Control>)>>,
    ended: Condvar,
}

/// Counts a search as running until it is dropped.
pub(crate) struct Ponder {
    ponders: Arc<Ponders>,
    control: Arc<Control>,
}

impl Ponders {
    /// Counts a search as running.
    pub(crate) fn begin(self: &Arc<Self>, seat: Seat, control: &Arc<Control>) -> Ponder {
        self.running().push((seat, Arc::clone(control)));
        Ponder {
            ponders: Arc::clone(self),
            control: Arc::clone(control),
        }
    }

    /// Stops the searches of a seat, or all; returns whether there are any.
    pub(crate) fn stop(&self, seat: Option<&Seat>) -> bool {
        let running = self.running();
        let mut meant = running
            .iter()
            .filter(|(other, _)| seat.is_none_or(|seat| seat == other))
            .peekable();
        let is_any = meant.peek().is_some();
        meant.for_each(|(_, control)| control.stop());
        is_any
    }

    /// Waits until the stopped searches of a seat have returned their player.
    pub(crate) fn wait(&self, seat: &Seat) {
        let is_running = |running: &mut Vec<(Seat, _)>| running.iter().any(|(own, _)| own == seat);
        let waited = self
            .ended
            .wait_timeout_while(self.running(), PATIENCE, is_running);
        drop(waited);
    }

    fn running(&self) -> MutexGuard<'_, Vec<(Seat, Arc<Control>)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Ponder {
    fn drop(&mut self) {
        let is_other = |(_, control): &(Seat, _)| !Arc::ptr_eq(control, &self.control);
        self.ponders.running().retain(is_other);
        self.ponders.ended.notify_all();
    }
}
