import { familyOf, memoryOf } from "./children.ts";

const SAMPLE_MS = 50;

/** The largest resident memory of a process and all that it has started, in MiB, from now on. */
export class PeakMemory implements Disposable {
  readonly #timer: NodeJS.Timeout;
  mebibytes = 0;

  constructor(pid: number) {
    const sample = () => {
      const memory = familyOf(pid).reduce((sum, one) => sum + residentOf(one), 0);
      this.mebibytes = Math.max(this.mebibytes, memory);
    };
    sample();
    this.#timer = setInterval(sample, SAMPLE_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** 0 if the process has ended meanwhile. */
function residentOf(pid: number): number {
  try {
    return memoryOf(pid) || 0;
  } catch {
    return 0;
  }
}
