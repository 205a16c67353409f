// One ply of Kamisado: wins if it can, and otherwise asks for a tower that cannot win, with as few ways as there are.
import { kamisado } from "dragontooth/games";

export const games = ["kamisado"];

/** @param {import("dragontooth").Decision} decision */
export default function choose(decision) {
  const position = kamisado.parse(decision.position);
  const home = decision.seat === "first" ? 1 : 8;
  const goal = 9 - home;
  let best = { action: "", value: -Infinity };
  for (const action of decision.legalActions) {
    let value = decision.random();
    if (position.demand.kind !== "refill") {
      const [from, to] = [action.slice(0, 2), action.slice(2)];
      const ways = waysOfAnswer(position, decision.seat, from, to);
      value += Number(to[1]) === goal ? 1000 : -ways.length;
      value -= ways.some((square) => Number(square[1]) === home) ? 100 : 0;
    }
    if (value > best.value) {
      best = { action, value };
    }
  }
  return best.action;
}

/** The squares to which the opponent's next tower can go after a move; pushes are left out. */
function waysOfAnswer(position, seat, from, to) {
  const colour = kamisado.squareColour(to);
  const tower = position.towers.find((tower) => tower.colour === colour && tower.seat !== seat);
  const taken = new Set(position.towers.map(({ square }) => square).filter((square) => square !== from));
  taken.add(to);
  const reach = [8, 5, 3, 1][tower.teeth];
  const ahead = seat === "first" ? -1 : 1;
  const squares = [];
  for (const aside of [-1, 0, 1]) {
    let [file, rank] = ["abcdefgh".indexOf(tower.square[0]), Number(tower.square[1])];
    for (let step = 0; step < reach; step += 1) {
      file += aside;
      rank += ahead;
      const square = `${"abcdefgh"[file]}${rank}`;
      if (file < 0 || file > 7 || rank < 1 || rank > 8 || taken.has(square)) {
        break;
      }
      squares.push(square);
    }
  }
  return squares;
}
