//! Connected components of the graph of games: players who can be compared.

/// The component number of each player; players are connected when they played each other,
/// directly or through others. Numbers count up from 0 in the order of the players.
pub(super) fn connected(n_players: usize, played: &[(usize, usize)]) -> Vec<usize> {
    let mut neighbors = vec![Vec::new(); n_players];
    for &(a, b) in played {
        neighbors[a].push(b);
        neighbors[b].push(a);
    }
    let mut component = vec![usize::MAX; n_players];
    let mut n_components = 0;
    for start in 0..n_players {
        if component[start] == usize::MAX {
            visit(start, &neighbors, |player| {
                std::mem::replace(&mut component[player], n_components) == usize::MAX
            });
            n_components += 1;
        }
    }
    component
}

/// True if each of `members` took points from each other one, directly or indirectly. If not,
/// maximum likelihood without a prior is infinite (L. R. Ford, 1957).
pub(super) fn everybody_scored(
    n_players: usize,
    members: &[usize],
    scored: &[(usize, usize)],
) -> bool {
    let Some(&start) = members.first() else {
        return true;
    };
    let reaches_all = |edge: fn(&(usize, usize)) -> (usize, usize)| {
        let mut neighbors = vec![Vec::new(); n_players];
        for (from, to) in scored.iter().map(edge) {
            neighbors[from].push(to);
        }
        let mut seen = vec![false; n_players];
        visit(start, &neighbors, |player| {
            !std::mem::replace(&mut seen[player], true)
        });
        members.iter().all(|&member| seen[member])
    };
    reaches_all(|&(a, b)| (a, b)) && reaches_all(|&(a, b)| (b, a))
}

/// Walks the graph from `start`; `enter` says whether a player is new.
fn visit(start: usize, neighbors: &[Vec<usize>], mut enter: impl FnMut(usize) -> bool) {
    let mut stack = vec![start];
    while let Some(player) = stack.pop() {
        if enter(player) {
            stack.extend(&neighbors[player]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_never_met() {
        assert_eq!(connected(5, &[(0, 2), (3, 4), (2, 0)]), [0, 1, 0, 2, 2]);
    }

    #[test]
    fn a_chain_of_wins_is_not_enough_and_a_circle_is() {
        assert!(!everybody_scored(3, &[0, 1, 2], &[(0, 1), (1, 2)]));
        assert!(everybody_scored(3, &[0, 1, 2], &[(0, 1), (1, 2), (2, 0)]));
        assert!(everybody_scored(2, &[1], &[]));
        // Other players are irrelevant.
        assert!(everybody_scored(4, &[0, 2], &[(0, 2), (2, 0), (3, 1)]));
    }
}
