//! The tree as text, for people and for tests.

use std::fmt::Write;

use crate::Search;
use crate::tree::{NodeId, ROOT, Tree};

impl Search {
    /// The visited part of the tree: a line a move, indented by its depth, with its visits and its
    /// mean utility in 0..=1 for the side that makes it. Proven moves say what is proven.
    pub fn tree_text(&self) -> String {
        let mut text = String::new();
        write_moves(self.tree(), ROOT, 0, &mut text);
        text
    }
}

fn write_moves(tree: &Tree, node: NodeId, depth: usize, text: &mut String) {
    let position = &tree.node(node).position;
    for (edge, &mv) in tree.edges(node).iter().zip(tree.moves(node)) {
        let Some(child) = edge.child.filter(|_| edge.visits > 0) else {
            continue;
        };
        let (indent, name) = ("  ".repeat(depth), position.move_text(mv));
        let proof = edge
            .proof
            .map(|proof| format!(" {proof:?}"))
            .unwrap_or_default();
        // Writing into a String cannot fail.
        let _ = writeln!(text, "{indent}{name} {} {:.4}{proof}", edge.visits, edge.q);
        write_moves(tree, child, depth + 1, text);
    }
}
