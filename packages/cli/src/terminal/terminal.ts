import type { COLORS } from "../command/globals.ts";

/** What the command is attached to. */
export interface Terminal {
  /** Whether people see what is printed as data. */
  readonly isTTY: boolean;
  /** Whether people see remarks, and can be shown progress. */
  readonly showsRemarks: boolean;
  /** Whether people can be asked. */
  readonly isInteractive: boolean;
  /** The cells in a line; undefined when there is no terminal, and so no end to a line. */
  readonly width: number | undefined;
  /** Styles for stdout: plain functions that do nothing where there is no color. */
  readonly style: Style;
  /** The same for stderr. */
  readonly remarkStyle: Style;
}

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

/** The streams that a terminal is told by. */
export interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { readonly isTTY?: boolean; readonly columns?: number };
}

export function terminalOf(
  { stdin, stdout, stderr }: Streams,
  environment: Readonly<Record<string, string | undefined>>,
  color: (typeof COLORS)[number],
): Terminal {
  const allowed = !environment.NO_COLOR && environment.TERM !== "dumb";
  const colored = (isTTY = false) => (color === "auto" ? isTTY && allowed : color === "always");
  return {
    isTTY: stdout.isTTY === true,
    showsRemarks: stderr.isTTY === true && environment.TERM !== "dumb",
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    width: stdout.isTTY ? stdout.columns || undefined : undefined,
    style: styleOf(colored(stdout.isTTY)),
    remarkStyle: styleOf(colored(stderr.isTTY)),
  };
}

/** Functions that color, or leave text as it is. */
export function styleOf(colored: boolean): Style {
  const style = (on: number, off: number) => (text: string) =>
    colored ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
  };
}
