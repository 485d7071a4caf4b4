// A game as a tree of moves with comments and marks. It knows no rules and asks nobody.

/** Marks that a move can have, best first. */
export const GLYPHS = ["!!", "!", "!?", "?!", "?", "??"];

class Node {
  constructor(move, parent) {
    this.move = move;
    this.parent = parent;
    this.children = [];
    this.comment = "";
    this.glyph = "";
    /** What a file says for programs: names such as `clock` with their values. */
    this.data = [];
    /** The value of the position after the move: probabilities {white, draw, black}, or null, and who says so. */
    this.value = null;
    this.by = "";
    /** The expected score that the move has lost, as an analysis of the whole game says, or null. */
    this.lost = null;
    /** The mark that this analysis gives the move. */
    this.fault = "";
    /** What the user has drawn: `11-15` is an arrow, `11` a circle. */
    this.shapes = [];
  }

  get plies() {
    return this.parent ? this.parent.plies + 1 : 0;
  }

  /** The moves that lead here. */
  get moves() {
    return this.line.map((node) => node.move);
  }

  /** The nodes that lead here, without the root. */
  get line() {
    const line = [];
    for (let node = this; node.parent; node = node.parent) line.push(node);
    return line.reverse();
  }

  /** Which child of its parent each node on the way is. */
  get path() {
    return this.line.map((node) => node.parent.children.indexOf(node));
  }

  /** The node where first children lead. */
  get end() {
    let node = this;
    while (node.children.length > 0) node = node.children[0];
    return node;
  }

  /** Whether it is on the main line. */
  get isMain() {
    return this.line.every((node) => node.parent.children[0] === node);
  }

  /** Whether `other` is this node or comes after it. */
  contains(other) {
    for (let node = other; node; node = node.parent) if (node === this) return true;
    return false;
  }
}

export class Tree {
  constructor() {
    this.root = new Node("", null);
  }

  /** The child with a move; a new one is the last variation. */
  add(node, move) {
    const known = node.children.find((child) => child.move === move);
    if (known) return known;
    const child = new Node(move, node);
    node.children.push(child);
    return child;
  }

  /** Adds a line; the node at its end. */
  addLine(node, moves) {
    return moves.reduce((at, move) => this.add(at, move), node);
  }

  /** Removes a move with all that comes after it; the node before it. */
  remove(node) {
    const { parent } = node;
    parent.children = parent.children.filter((child) => child !== node);
    return parent;
  }

  /** Puts the variation that a node is in one place higher, or all the way to the main line. */
  promote(node, toMain) {
    for (let at = node; at.parent; at = at.parent) {
      const siblings = at.parent.children;
      const place = siblings.indexOf(at);
      if (place === 0) continue;
      siblings.splice(place, 1);
      siblings.splice(toMain ? 0 : place - 1, 0, at);
      if (!toMain) return;
    }
  }

  /** Puts a move before the other moves of its position. */
  lead(node) {
    const siblings = node.parent.children;
    siblings.splice(siblings.indexOf(node), 1);
    siblings.unshift(node);
  }

  /** The node that moves lead to, if there is one. */
  find(moves) {
    return moves.reduce((node, move) => node?.children.find((child) => child.move === move), this.root);
  }

  /** The node at the end of a main line. */
  along(line) {
    return line.reduce((node, { move }) => node.children.find((child) => child.move === move) ?? node, this.root);
  }

  /** The node at the end of a path, or as far as it leads. */
  at(path) {
    let node = this.root;
    for (const place of path) {
      if (!node.children[place]) break;
      node = node.children[place];
    }
    return node;
  }

  /**
   * The tree as plain data: the main line as a list of {move, comment, glyph, value, by, lost, fault, shapes, variations},
   * where variations are such lists instead of the move.
   */
  toLine() {
    return lineOf(this.root.children[0], this.root.children.slice(1));
  }

  static fromLine(line, comment = "") {
    const tree = new Tree();
    tree.root.comment = comment;
    grow(tree, tree.root, line);
    return tree;
  }
}

function lineOf(first, others) {
  const line = [];
  let [node, variations] = [first, others];
  while (node) {
    const ply = { move: node.move };
    if (node.comment) ply.comment = node.comment;
    if (node.glyph) ply.glyph = node.glyph;
    if (node.data.length) ply.data = node.data;
    if (node.value) Object.assign(ply, { value: node.value, by: node.by });
    if (node.lost != null) Object.assign(ply, { lost: node.lost, fault: node.fault });
    if (node.shapes.length) ply.shapes = node.shapes;
    if (variations.length) ply.variations = variations.map((other) => lineOf(other, []));
    line.push(ply);
    variations = node.children.slice(1);
    node = node.children[0];
  }
  return line;
}

function grow(tree, start, line) {
  let node = start;
  for (const { move, comment = "", glyph = "", data = [], value = null, by = "", lost = null, fault = "", shapes = [], variations = [] } of line) {
    const next = tree.add(node, move);
    if (!next.value) Object.assign(next, { value, by });
    Object.assign(next, { comment: next.comment || comment, glyph: next.glyph || glyph, data: next.data.length ? next.data : data, lost: next.lost ?? lost, fault: next.fault || fault, shapes: next.shapes.length ? next.shapes : shapes });
    for (const variation of variations) grow(tree, node, variation);
    node = next;
  }
}

/** A line as PDN has it: the moves, what is said about them, and variations. */
function plainLine(line) {
  return line.map(({ move, comment = "", glyph = "", data = [], variations = [] }) => ({ move, comment, glyph, data, variations: variations.map(plainLine) }));
}

/**
 * The game as PDN has it, up to the node where it stands. PDN has variations of a move alone: what was tried after the
 * last move is a variation that begins with that move. Before the first move, what was tried is the game.
 */
export function gameLine(tree, live) {
  const line = plainLine(tree.toLine());
  const tried = live.plies > 0 ? live.children.map((child) => plainLine(lineOf(child, []))) : [];
  if (live.plies === 0) return line;
  const last = line[live.plies - 1];
  last.variations.push(...tried.map((moves) => [{ move: last.move, comment: "", glyph: "", variations: [] }, ...moves]));
  return line.slice(0, live.plies);
}
