//! Backs up the value of a leaf to the root.

use types::Wdl;

use crate::Proof;
use crate::node_id::NodeId;
use crate::select::q_of;
use crate::tree::Tree;

/// One step of a simulation: a node and the selected edge.
#[derive(Clone, Copy)]
pub(crate) struct Followed {
    pub(crate) node: NodeId,
    pub(crate) edge: usize,
}

/// The draw score for the side to move `depth` plies below the root, given the root player's.
pub(crate) fn draw_score_at(draw_score: f32, depth: usize) -> f32 {
    if depth.is_multiple_of(2) {
        draw_score
    } else {
        -draw_score
    }
}

/// Backs up the value of `leaf`, from the view of its side to move, through every node of the path
/// with the weight of `times` visits. The edges' visits were counted on the way down.
///
/// A proven node passes on its exact value instead of the one from below.
pub(crate) fn back_up(
    tree: &mut Tree,
    path: &[Followed],
    leaf: NodeId,
    value: Wdl,
    times: u32,
    draw_score: f32,
) {
    tree.node_mut(leaf).add(value, times);
    hand_up(tree, path, leaf, value, times, 0, draw_score);
}

/// Backs up the value of `leaf` to every node above it on the path with the weight of `times`
/// visits; `uncounted` of them were not yet counted on the way down.
pub(crate) fn hand_up(
    tree: &mut Tree,
    path: &[Followed],
    leaf: NodeId,
    value: Wdl,
    times: u32,
    uncounted: u32,
    draw_score: f32,
) {
    let (mut child, mut value) = (leaf, value);
    for (depth, &Followed { node, edge }) in path.iter().enumerate().rev() {
        let (child_mean, child_proof) = (tree.node(child).mean, tree.node(child).proof);
        if let Some(proof) = child_proof {
            value = proof.wdl();
        }
        value = value.flipped();
        let edges = tree.edges_mut(node);
        let followed = &mut edges[edge];
        followed.visits = followed.visits.saturating_add(uncounted);
        followed.q = q_of(child_mean.flipped(), draw_score_at(draw_score, depth));
        if child_proof.is_some() && followed.proof.is_none() {
            followed.proof = child_proof.map(Proof::before_the_move);
            let proof = Proof::of_moves(edges.iter().map(|edge| edge.proof));
            tree.node_mut(node).proof = proof;
        }
        tree.node_mut(node).add(value, times);
        child = node;
    }
}

/// Undoes `times` visits of a path whose leaf gives no value.
pub(crate) fn take_back(tree: &mut Tree, path: &[Followed], times: u32) {
    for &Followed { node, edge } in path {
        let visits = &mut tree.edges_mut(node)[edge].visits;
        *visits = visits.saturating_sub(times);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Position, Variant};

    /// A chain root - a - b of start positions; the moves do not matter.
    fn chain(n_moves: usize) -> (Tree, Vec<Followed>, NodeId) {
        let position = Position::start(Variant::English);
        let moves = &position.legal_moves()[..n_moves];
        let mut tree = Tree::with_memory(1 << 20);
        tree.restart(position, moves);
        let mut path = Vec::new();
        let mut node = tree.root();
        for _ in 0..2 {
            path.push(Followed { node, edge: 0 });
            let child = tree.try_push(position, moves, None).unwrap();
            tree.edges_mut(node)[0].child = Some(child);
            node = child;
        }
        (tree, path, node)
    }

    #[test]
    fn signs_alternate_and_means_are_kept() {
        let (mut tree, path, leaf) = chain(2);
        back_up(
            &mut tree,
            &path,
            leaf,
            Wdl {
                win: 0.8,
                draw: 0.1,
                loss: 0.1,
            },
            1,
            0.0,
        );
        back_up(
            &mut tree,
            &path,
            leaf,
            Wdl {
                win: 0.4,
                draw: 0.3,
                loss: 0.3,
            },
            1,
            0.0,
        );
        let close = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!(close(tree.node(leaf).mean.win, 0.6));
        assert!(close(tree.node(path[1].node).mean.loss, 0.6));
        assert!(close(tree.node(tree.root()).mean.win, 0.6));
        assert_eq!(tree.node(tree.root()).visits, 2);
        // Utilities 0.7 and 0.1: mean 0.4, q 0.7 for the root's mover.
        assert!(close(tree.edges(tree.root())[0].q, 0.7));
        assert!(close(tree.edges(path[1].node)[0].q, 0.3));
    }

    #[test]
    fn draw_score_belongs_to_the_player_at_the_root() {
        let (mut tree, path, leaf) = chain(2);
        back_up(&mut tree, &path, leaf, Wdl::DRAW, 1, -0.5);
        assert_eq!(tree.edges(tree.root())[0].q, 0.25);
        assert_eq!(tree.edges(path[1].node)[0].q, 0.75);
    }

    #[test]
    fn a_loss_proves_its_parent_won_and_overrides_the_mean() {
        let (mut tree, path, leaf) = chain(2);
        back_up(
            &mut tree,
            &path,
            leaf,
            Wdl {
                win: 0.9,
                draw: 0.0,
                loss: 0.1,
            },
            1,
            0.0,
        );
        tree.node_mut(leaf).proof = Some(Proof::Loss(0));
        back_up(&mut tree, &path, leaf, Wdl::LOSS, 1, 0.0);
        let parent = tree.node(path[1].node);
        assert_eq!((parent.proof, parent.mean), (Some(Proof::Win(1)), Wdl::WIN));
        // The root has another move, so it is not proven; its mean keeps the first visit.
        assert_eq!(tree.edges(tree.root())[0].proof, Some(Proof::Loss(2)));
        assert_eq!(tree.edges(tree.root())[0].q, 0.0);
        assert_eq!(tree.node(tree.root()).proof, None);
        assert!((tree.node(tree.root()).mean.win - 0.45).abs() < 1e-6);
    }

    #[test]
    fn a_node_proven_by_its_last_move_hands_on_the_value_of_its_best() {
        let (mut tree, path, leaf) = chain(2);
        let parent = path[1].node;
        tree.edges_mut(parent)[1].proof = Some(Proof::Draw);
        tree.node_mut(leaf).proof = Some(Proof::Win(1));
        back_up(&mut tree, &path, leaf, Wdl::WIN, 1, 0.0);
        assert_eq!(tree.node(parent).proof, Some(Proof::Draw));
        assert_eq!(tree.node(tree.root()).mean, Wdl::DRAW);
    }

    #[test]
    fn with_one_move_each_the_proof_reaches_the_root() {
        let (mut tree, path, leaf) = chain(1);
        tree.node_mut(leaf).proof = Some(Proof::Draw);
        back_up(&mut tree, &path, leaf, Wdl::DRAW, 1, 0.0);
        assert_eq!(tree.node(tree.root()).proof, Some(Proof::Draw));
        assert_eq!(tree.node(tree.root()).mean, Wdl::DRAW);
    }
}
