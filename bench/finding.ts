import { median } from "./measure.ts";
import { type Measured, NotMeasured, type Row, type Target } from "./row.ts";

/** The result of a row. Rows without a target are informative. */
export type State = "met" | "missed" | "informative" | "not measured" | "failed";

/** The medians of a measured row. */
export interface Figures {
  readonly unit: Measured["unit"];
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
  readonly measurements: Pick<Measured, "ours" | "reference">;
}

/** A row with its result. */
export interface Finding {
  readonly section: string;
  readonly work: string;
  readonly reference: string;
  readonly target?: Target;
  readonly state: State;
  /** Absent if the row was not measured, or failed. */
  readonly figures?: Figures;
  /** Remarks; the reason if there are no figures. */
  readonly notes: readonly string[];
  /** The duration of the row in seconds. */
  readonly took?: number;
}

type Identity = Pick<Finding, "section" | "work" | "reference" | "target">;

function identityOf(section: string, { work, reference, target }: Row): Identity {
  return { section, work, reference, ...(target === undefined ? {} : { target }) };
}

/** The finding of a measured row. */
export function findingOf(section: string, row: Row, measured: Measured, took: number): Finding {
  const { unit, notes } = measured;
  const ours = median(measured.ours);
  const reference = median(measured.reference);
  const ratio = ours / reference;
  const measurements = { ours: measured.ours, reference: measured.reference };
  return {
    ...identityOf(section, row),
    state: stateOf(row.target, ratio),
    figures: { unit, ours, reference, ratio, measurements },
    notes,
    took,
  };
}

/** The finding of a row without figures: a failure is reported, and the other rows go on. */
export function problemOf(section: string, row: Row, error: unknown, took: number): Finding {
  const state = error instanceof NotMeasured ? "not measured" : "failed";
  // Errors of other processes come with their stacks.
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
  return { ...identityOf(section, row), state, notes: [reason], took };
}

function stateOf(target: Target | undefined, ratio: number): State {
  if (target === undefined) return "informative";
  return marginOf(target, ratio) >= 1 ? "met" : "missed";
}

/**
 * The finding of a row as the benchmark has it today. A run that did not measure this work against this reference has no
 * figures for it; one that did is judged by today's target.
 */
export function findingToday(section: string, row: Row, findings: readonly Finding[]): Finding {
  const { work, reference, target } = row;
  const found = findings.find((one) => one.work === work && one.reference === reference);
  if (found === undefined) {
    return problemOf(section, row, new NotMeasured("the last run has not measured it"), 0);
  }
  const { figures, notes } = found;
  const state = figures === undefined ? found.state : stateOf(target, figures.ratio);
  return { ...identityOf(section, row), state, notes, ...(figures && { figures }) };
}

/** The factor by which a ratio beats its target: 1 meets it exactly. */
export function marginOf(target: Target, ratio: number): number {
  return "atLeast" in target ? ratio / target.atLeast : target.atMost / ratio;
}

export function targetText(target: Target | undefined): string {
  if (target === undefined) return "–";
  const [sign, ratio] = "atLeast" in target ? ["≥", target.atLeast] : ["≤", target.atMost];
  return `${sign} ${ratio.toLocaleString("en")}`;
}

/** A ratio with about three significant digits. */
export function ratioText(ratio: number): string {
  const digits = ratio >= 100 ? 0 : ratio >= 10 ? 1 : ratio >= 0.1 ? 2 : 3;
  const text = ratio.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${text}×`;
}

export function figureText(number: number, unit: Measured["unit"]): string {
  const digits = unit === "ms" ? (number < 10 ? 3 : 1) : 0;
  const text = number.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return unit === "per s" ? `${text}/s` : `${text} ${unit}`;
}
