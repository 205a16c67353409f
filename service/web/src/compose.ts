// Plays in Backgammon, composed part by part from the list of legal ones.

/** The parts of a play, each as often as it is played: `8/5(2)` is `8/5` twice. */
export function parts(play: string): string[] {
  return play.split(" ").flatMap((part) => {
    const [, path = part, times = "1"] = /^(.*)\((\d)\)$/.exec(part) ?? [];
    return Array.from({ length: Number(times) }, () => path);
  });
}

/** Plays that contain all of the chosen parts, with the parts that are left of each. */
function remaining(plays: readonly string[], chosen: readonly string[]): { play: string; left: string[] }[] {
  return plays.flatMap((play) => {
    const left = parts(play);
    for (const part of chosen) {
      const at = left.indexOf(part);
      if (at < 0) {
        return [];
      }
      left.splice(at, 1);
    }
    return [{ play, left }];
  });
}

/** The parts that can be chosen next, and the play that is complete; undefined if none is. */
export function next(plays: readonly string[], chosen: readonly string[]): { parts: string[]; complete: string | undefined } {
  const possible = remaining(plays, chosen);
  return {
    parts: [...new Set(possible.flatMap(({ left }) => left))],
    complete: possible.find(({ left }) => left.length === 0)?.play,
  };
}
