import type { COLORS } from "../command/globals.ts";

/** The terminal of the command. */
export interface Terminal {
  /** Whether stdout is a terminal. */
  readonly isTTY: boolean;
  /** Whether stderr is a terminal that can show progress. */
  readonly showsRemarks: boolean;
  /** Whether prompts are possible. */
  readonly isInteractive: boolean;
  /** The number of columns; undefined without a terminal. */
  readonly width: number | undefined;
  /** The number of rows; undefined without a terminal. */
  readonly height: number | undefined;
  /** Styles for stdout; they do nothing without color. */
  readonly style: Style;
  /** Styles for stderr. */
  readonly remarkStyle: Style;
}

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
}

export type StyleName = keyof Style;

/** The streams of a process. */
export interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: {
    readonly isTTY?: boolean;
    readonly columns?: number;
    readonly rows?: number;
  };
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
    height: stdout.isTTY ? stdout.rows || undefined : undefined,
    style: styleOf(colored(stdout.isTTY)),
    remarkStyle: styleOf(colored(stderr.isTTY)),
  };
}

/** ANSI styles, or identity functions. */
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

/** Prints messages on stderr. */
export interface Messages {
  /** Not printed with --quiet. */
  note(text: string): void;
  /** A warning; not printed with --quiet. */
  warn(text: string): void;
  /** Only printed with --verbose. */
  detail(text: string): void;
}

export interface MessageOptions {
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Marks notes as what would have been done. */
  readonly dryRun?: boolean;
  readonly style: Style;
  write(text: string): void;
}

export function messagesTo({ quiet, verbose, dryRun, style, write }: MessageOptions): Messages {
  const tried = dryRun ? `${style.yellow("dry run, nothing changed:")} ` : "";
  return {
    note: (text) => quiet || write(`wharf: ${tried}${text}\n`),
    warn: (text) => quiet || write(`wharf: ${style.yellow("warning:")} ${text}\n`),
    detail: (text) => verbose && write(`${style.dim(text)}\n`),
  };
}
