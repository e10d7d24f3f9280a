/** Auto-reset event of a loop: it sleeps until a time or a wake-up. A wake-up while it works is not lost. */
export class WakeSignal {
  #woken = false;
  #end: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#end?.();
  }

  /** Resolves after a time, or at once if it was woken since the last call. */
  async wait(ms: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        timer.unref();
        this.#end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#end = undefined;
    }
    this.#woken = false;
  }
}
