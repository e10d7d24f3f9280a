import type { Style } from "./terminal.ts";

/** Everything that is said and is not data: on stderr. */
export interface Messages {
  /** A remark; not shown with --quiet. */
  note(text: string): void;
  /** Something to look at; not shown with --quiet. */
  warn(text: string): void;
  /** Shown with --verbose alone. */
  detail(text: string): void;
}

export interface MessageOptions {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly style: Style;
  write(text: string): void;
}

export function messagesTo({ quiet, verbose, style, write }: MessageOptions): Messages {
  return {
    note: (text) => quiet || write(`wharf: ${text}\n`),
    warn: (text) => quiet || write(`wharf: ${style.yellow("warning:")} ${text}\n`),
    detail: (text) => verbose && write(`${style.dim(text)}\n`),
  };
}
