//! Work on several threads, whose results come in order.

use std::iter;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use run::{Result, RunError};

/// Items for each thread that are read ahead or wait for earlier ones at most.
const WAITING: usize = 16;

/// An item, and the place of its result.
type Job<T, R> = (T, SyncSender<R>);

/// Works on items on `threads` threads and gives `each` the results in the order of the items. At
/// most a few items per thread are in memory at a time. If `each` fails the rest is left undone.
///
/// # Errors
/// The first one of `each`, or when no thread can be started.
pub(crate) fn in_order<T, R, W>(
    items: impl Iterator<Item = T> + Send + 'static,
    threads: usize,
    worker: impl Fn() -> W,
    mut each: impl FnMut(R) -> Result<()>,
) -> Result<()>
where
    T: Send + 'static,
    R: Send + 'static,
    W: FnMut(T) -> R + Send + 'static,
{
    let most = threads.max(1) * WAITING;
    let (jobs, queue) = sync_channel::<Job<T, R>>(most);
    let (places, results) = sync_channel::<Receiver<R>>(most);
    let queue = Arc::new(Mutex::new(queue));
    for _ in 0..threads.max(1) {
        let (queue, mut work) = (Arc::clone(&queue), worker());
        start(move || {
            let next = || {
                let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                queue.recv().ok()
            };
            for (item, place) in iter::from_fn(next) {
                // The receiver is gone if another result failed.
                let _ = place.send(work(item));
            }
        })?;
    }
    // This thread is not joined: a terminal may block it for ever.
    start(move || {
        for item in items {
            let (place, result) = sync_channel(1);
            if places.send(result).is_err() || jobs.send((item, place)).is_err() {
                break;
            }
        }
    })?;
    for result in results {
        // A thread that panics has said why.
        let result = result.recv().map_err(|_| {
            RunError::Missing("a thread of the analysis ended before its time".to_owned())
        })?;
        each(result)?;
    }
    Ok(())
}

fn start(work: impl FnOnce() + Send + 'static) -> Result<()> {
    let thread = thread::Builder::new().spawn(work);
    thread.map(drop).map_err(|source| RunError::Threads {
        source: Box::new(source),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_order_and_few_items_are_read_ahead() {
        let read = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&read);
        let items = (0..500_usize).inspect(move |_| {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let mut seen = Vec::new();
        let worker = || {
            |item: usize| {
                if item.is_multiple_of(7) {
                    thread::yield_now();
                }
                2 * item
            }
        };
        in_order(items, 3, worker, |result| {
            seen.push(result);
            let ahead = read.load(Ordering::SeqCst) - seen.len();
            assert!(ahead <= 3 * WAITING + 2, "{ahead}");
            Ok(())
        })
        .unwrap();
        let all: Vec<usize> = (0..500).map(|item| 2 * item).collect();
        assert_eq!(seen, all);
    }

    #[test]
    fn the_first_error_ends_it() {
        let mut n = 0;
        let ended = in_order(
            0..,
            2,
            || |item: u64| item,
            |item| {
                n += 1;
                match item {
                    40 => Err(RunError::Missing("enough".to_owned())),
                    _ => Ok(()),
                }
            },
        );
        assert_eq!((ended.unwrap_err().to_string().as_str(), n), ("enough", 41));
    }
}
