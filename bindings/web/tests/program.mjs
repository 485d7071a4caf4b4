import { readFileSync } from "node:fs";
import { load } from "crownhead";

const crownhead = await load();
const agent = crownhead.agent(readFileSync("english.safetensors"));
const game = crownhead.game("english");
console.log(...game.legalMoves.map((move) => move.text));
while (game.status === "ongoing") game.play(agent.choose(game, { nodes: 1000 }));
console.log(game.pdn({ White: "crownhead", Black: "crownhead" }));
