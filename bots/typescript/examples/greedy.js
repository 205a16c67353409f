// Looks one action ahead in every game: values each legal action by what it leads to at once, and plays the best.
import { backgammon, kamisado, linja, tzaar } from "dragontooth/games";

/** For each game: makes of a decision a function that values an action. */
const VALUES = { backgammon: ofBackgammon, kamisado: ofKamisado, linja: ofLinja, tzaar: ofTzaar };

export const games = Object.keys(VALUES);

/** @param {import("dragontooth").Decision} decision */
export default function choose(decision) {
  const value = VALUES[decision.game](decision);
  let best = { action: "", value: -Infinity };
  for (const action of decision.legalActions) {
    // Equals are chosen between at random.
    const found = value(action) + decision.random() / 1000;
    if (found > best.value) {
      best = { action, value: found };
    }
  }
  return best.action;
}

/** Wins if it can, and otherwise asks for a tower that cannot win, with as few ways as there are. */
function ofKamisado({ position: text, seat }) {
  const position = kamisado.parse(text);
  const home = seat === "first" ? 1 : 8;
  return (action) => {
    if (position.demand.kind === "refill") {
      return 0;
    }
    const [from, to] = [action.slice(0, 2), action.slice(2)];
    if (Number(to[1]) === 9 - home) {
      return 1000;
    }
    const ways = waysOfAnswer(position, seat, from, to);
    return -ways.length - (ways.some((square) => Number(square[1]) === home) ? 100 : 0);
  };
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

/** With the first move, many rows for the second; with that, an empty row, which gives another turn. */
function ofLinja({ position: text, seat }) {
  const { pieces, steps } = linja.parse(text);
  const target = seat === "first" ? 7 : 0;
  return (action) => {
    const [from, to] = action.split(">").map(Number);
    const there = pieces.first[to] + pieces.second[to];
    const behind = Math.abs(target - from) / 10;
    if (steps === undefined) {
      return (to === target ? 1 : there) + behind;
    }
    return (to === target ? 0 : Math.abs(to - from)) + (there === 0 && to !== target ? 5 : 0) + behind;
  };
}

/** Captures the kind that the opponent has least of, the highest first, and otherwise makes its own rarest kinds safe. */
function ofTzaar({ position: text, seat }) {
  const { units } = tzaar.parse(text);
  const count = (unit) => [...units.values()].filter(({ seat, kind }) => seat === unit.seat && kind === unit.kind).length;
  return (action) => {
    const [, from, how, to] = /^(..)([x+])(..)$/.exec(action) ?? [];
    if (how === undefined) {
      return action === "-" ? -1 : 0;
    }
    const [mover, met] = [units.get(from), units.get(to)];
    if (how === "x") {
      return 60 / count(met) + met.height;
    }
    // A unit that is stacked upon is one unit less of its kind.
    return 40 / count(mover) + (mover.height + met.height) / 10 - (count(met) === 1 ? 1000 : 90 / count(met));
  };
}

/** Rolls, takes, and plays for few pips, hits, made points and few checkers that stand alone. */
function ofBackgammon({ position: text, seat }) {
  const { checkers } = backgammon.parse(text);
  return (action) => {
    if (!action.includes("/")) {
      return ["roll", "take", "decline"].includes(action) ? 1 : 0;
    }
    const own = [...checkers[seat]];
    let value = 0;
    for (const part of action.split(" ")) {
      const [, way, times = "1"] = /^(.*?)(?:\((\d)\))?$/.exec(part);
      const places = way.replaceAll("*", "").split("/").map((place) => ({ bar: 25, off: 0 })[place] ?? Number(place));
      own[places[0]] -= Number(times);
      own[places.at(-1)] += Number(times);
      value += 4 * (way.split("*").length - 1);
    }
    const alone = own.filter((count, place) => place > 0 && place < 25 && count === 1).length;
    const points = own.filter((count, place) => place > 0 && place < 19 && count > 1).length;
    return value + 2 * points - 3 * alone + 5 * own[0];
  };
}
