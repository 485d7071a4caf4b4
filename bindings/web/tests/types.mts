// Compiles if the type declarations match the library.
import { type Analysis, CrownheadError, load } from "crownhead";
import { startAgent } from "crownhead/worker";

const crownhead = await load();
const game = crownhead.game("english");
const agent = await startAgent("material:english", { hash: 4 });
const found: Analysis = await agent.analyse(game, { seconds: 1, lines: 3 }, (so_far) => so_far.nodes < 1e6);
const win: number | undefined = found.lines[0]?.value?.win;
for (const { error, tags, comments } of crownhead.pdnGames("1. 11-15 *", { variant: "english" })) {
  const line: number = error?.line ?? comments.length;
  const white: string | undefined = tags.White;
  if (line < 0) throw new CrownheadError(white);
}
game.play(await agent.choose(game));
// @ts-expect-error: there is no such limit.
agent.choose(game, { sims: 3 });
if (win === undefined) throw new CrownheadError(game.fen);
