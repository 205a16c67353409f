// Plays any game: each legal action is as likely as the others.

/** @param {import("dragontooth").Decision} decision */
export default function choose(decision) {
  const { legalActions } = decision;
  return legalActions[Math.floor(decision.random() * legalActions.length)];
}
