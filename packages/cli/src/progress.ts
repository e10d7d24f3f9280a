/** Delay before the progress line appears: short work has none. */
const DELAY_MS = 1_000;
const FRAME_MS = 100;
const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const BAR_WIDTH = 24;

/** Reports the progress of work. */
export interface Step {
  /** A bar if there is a total, a count otherwise. */
  at(done: number, total?: number): void;
  /** The current activity. */
  say(text: string): void;
}

export interface Progress {
  /** Runs work, and shows its progress after a second. */
  <T>(text: string, work: (step: Step) => Promise<T>): Promise<T>;
  /** Erases the progress line, so that something else can be printed. */
  readonly clear: () => void;
  /** Shows nothing while something else has the terminal. */
  readonly paused: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Shows progress on a terminal. */
export function progressOn(stream: NodeJS.WriteStream, isShown: boolean): Progress {
  let drawn = false;
  let isPaused = false;
  const clear = () => {
    if (!drawn) return;
    drawn = false;
    const { clearLine, cursorTo } = process.getBuiltinModule("node:readline");
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
    const started = performance.now();
    const timer = setInterval(() => {
      const elapsed = performance.now() - started;
      if (elapsed < DELAY_MS || isPaused) return;
      clear();
      drawn = true;
      stream.write(frame(state, elapsed).slice(0, (stream.columns || 80) - 1));
    }, FRAME_MS);
    try {
      return await work(step);
    } finally {
      clearInterval(timer);
      clear();
    }
  };
  const paused = async <T>(work: () => Promise<T>): Promise<T> => {
    clear();
    isPaused = true;
    try {
      return await work();
    } finally {
      isPaused = false;
    }
  };
  return Object.assign(progress, { clear, paused });
}

interface State {
  text: string;
  done: number | undefined;
  total: number | undefined;
}

/** The progress line: a bar if there is a total, a spinner otherwise. */
export function frame({ text, done, total }: State, elapsed: number): string {
  if (done !== undefined && total !== undefined && total > 0) {
    const share = Math.min(1, done / total);
    const full = Math.round(share * BAR_WIDTH);
    return `${text} ${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)} ${done}/${total}`;
  }
  const spinner = FRAMES[Math.floor(elapsed / FRAME_MS) % FRAMES.length];
  return done === undefined ? `${spinner} ${text}` : `${spinner} ${text} ${done}`;
}
