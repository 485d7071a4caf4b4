import type { Analysis, Game, Judgment, Limits, Options, Value } from "./crownhead.js";

/** An agent in its own worker. */
export function startAgent(source: string | ArrayBuffer | Uint8Array, options?: Options): Promise<RemoteAgent>;

export interface RemoteAgent {
  readonly variant: string;
  readonly eloRange: [number, number] | null;
  choose(game: Game, limits?: Limits): Promise<string>;
  analyse(game: Game, limits?: Limits, report?: ((found: Analysis) => boolean | void) | null): Promise<Analysis>;
  value(game: Game): Promise<Value>;
  judge(game: Game): Promise<Judgment>;
  stop(): void;
  close(): void;
}
