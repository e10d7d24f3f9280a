import { clearLine, cursorTo } from "node:readline";

/** Work that takes longer than this is shown; quicker work leaves no trace. */
const PATIENCE_MS = 1_000;
const FRAME_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const BAR = 24;

/** What is known of work under way. */
export interface Step {
  /** How far: shown as a bar when the total is known, as a count otherwise. */
  at(done: number, total?: number): void;
  /** What is done now. */
  say(text: string): void;
}

export interface Progress {
  /** Runs work, and shows that it goes on once it has taken a second. */
  <T>(text: string, work: (step: Step) => Promise<T>): Promise<T>;
  /** Takes what is shown away, so that something else can be written. */
  readonly clear: () => void;
}

/** Progress on a stream that people see; elsewhere, none. */
export function progressOn(stream: NodeJS.WriteStream, isShown: boolean): Progress {
  let drawn = false;
  const clear = () => {
    if (!drawn) return;
    drawn = false;
    cursorTo(stream, 0);
    clearLine(stream, 0);
  };
  const progress = async <T>(text: string, work: (step: Step) => Promise<T>): Promise<T> => {
    const state: State = { text, done: undefined, total: undefined };
    const step: Step = {
      at: (done, total) => Object.assign(state, { done, total }),
      say: (now) => Object.assign(state, { text: now }),
    };
    if (!isShown) return work(step);
    const begun = performance.now();
    const timer = setInterval(() => {
      const taken = performance.now() - begun;
      if (taken < PATIENCE_MS) return;
      clear();
      drawn = true;
      stream.write(frame(state, taken).slice(0, (stream.columns || 80) - 1));
    }, FRAME_MS);
    try {
      return await work(step);
    } finally {
      clearInterval(timer);
      clear();
    }
  };
  return Object.assign(progress, { clear });
}

interface State {
  text: string;
  done: number | undefined;
  total: number | undefined;
}

/** One line: a bar where the end is known, a spinner otherwise. */
export function frame({ text, done, total }: State, taken: number): string {
  if (done !== undefined && total !== undefined && total > 0) {
    const share = Math.min(1, done / total);
    const full = Math.round(share * BAR);
    return `${text} ${"█".repeat(full)}${"░".repeat(BAR - full)} ${done}/${total}`;
  }
  const spinner = FRAMES[Math.floor(taken / FRAME_MS) % FRAMES.length];
  return done === undefined ? `${spinner} ${text}` : `${spinner} ${text} ${done}`;
}
