import { type Finding, figureText, ratioText, targetText } from "./finding.ts";

export const TABLE_HEAD = `| work | ours | reference | ratio | target | result |
|---|---|---|---|---|---|`;

/** One line of the table. */
export function tableLine(finding: Finding): string {
  const { work, reference, figures, target, state } = finding;
  const cells =
    figures === undefined
      ? [work, "–", reference, "–"]
      : [
          work,
          figureText(figures.ours, figures.unit),
          `${reference}: ${figureText(figures.reference, figures.unit)}`,
          ratioText(figures.ratio),
        ];
  return `| ${[...cells, targetText(target), stateText(state)].join(" | ")} |`;
}

/** Misses stand out. */
export function stateText(state: Finding["state"]): string {
  return state === "missed" || state === "failed" ? `**${state}**` : state;
}
