export class CrownheadError extends Error {}

/** Loads the module from its bytes, or from the adjacent file that the platform supports. */
export function load(bytes?: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<Crownhead>;

export type Color = "white" | "black";

export interface LegalMove {
  text: string;
  from: number;
  to: number;
  captured: number[];
  path: number[];
}

/** Limits of a search; omitted ones are unlimited. */
export interface Limits {
  nodes?: number;
  depth?: number;
  seconds?: number;
  lines?: number;
}

/** Probabilities for the side to move. */
export interface Value {
  win: number;
  draw: number;
  loss: number;
}

export interface Line {
  moves: string[];
  value: Value | null;
  proof: "win" | "draw" | "loss" | null;
  plies: number | null;
  depth: number;
  visits: number | null;
}

export interface Analysis {
  lines: Line[];
  nodes: number;
}

export interface Judgment {
  value: Value;
  policy: { move: string; probability: number }[];
}

export interface Options {
  /** Name used in messages. */
  name?: string;
  /** Size of the transposition table of alpha-beta search in megabytes. */
  hash?: number;
  precision?: "f32" | "int8";
  /** Limits the agent's strength to this rating in Elo above random play; see `Agent.eloRange`. */
  elo?: number | null;
  /** Seed for the random choices of an agent of limited strength. */
  seed?: number;
}

export interface GameRecord {
  variant: string;
  fen: string;
  moves: string[];
}

export interface Game {
  readonly variant: string;
  readonly fen: string;
  readonly turn: Color;
  readonly legalMoves: LegalMove[];
  readonly moves: string[];
  readonly status: "ongoing" | Color | "draw";
  readonly reason: string;
  readonly record: GameRecord;
  play(move: string | LegalMove): void;
  takeBack(): void;
  pdn(tags?: Record<string, string>): string;
  perft(depth: number): number;
  close(): void;
}

/** A game of PDN, as far as it can be read, with all that the text says about it. */
export interface PdnGame {
  /** Of a game with a fault, the moves before it; null if the start position is unknown. */
  readonly game: Game | null;
  /** Number of the game in the text, and its first line, from 1. */
  readonly number: number;
  readonly line: number;
  readonly tags: Record<string, string>;
  readonly result: "ongoing" | Color | "draw";
  /** The comment before the first move. */
  readonly comment: string;
  /** For each move of `game`: the comment after it, its mark such as `!?`, and commands such as `clk`. */
  readonly comments: string[];
  readonly glyphs: string[];
  readonly data: Record<string, string>[];
  /** All moves as the text has them, including those after a fault. */
  readonly written: string[];
  readonly error: { line: number; message: string } | null;
  /** The encoding of the part read so far. */
  readonly encoding: string;
}

export interface Agent {
  readonly variant: string;
  readonly eloRange: [number, number] | null;
  choose(game: Game, limits?: Limits): string;
  /** Until a limit is reached or `report` returns false; a network limited by `nodes` alone makes no reports. */
  analyse(game: Game, limits?: Limits, report?: ((found: Analysis) => boolean | void) | null): Analysis;
  value(game: Game): Value;
  judge(game: Game): Judgment;
  close(): void;
}

export interface Crownhead {
  readonly variants: string[];
  game(variant: string, fen?: string | null, moves?: string[]): Game;
  readPdn(text: string, variant?: string | null): Game[];
  pdnGames(
    source: string | ArrayBuffer | Uint8Array,
    options?: { variant?: string | null; encoding?: string | null },
  ): Generator<PdnGame, void>;
  agent(source: string | ArrayBuffer | Uint8Array, options?: Options): Agent;
}
