/** Events in the order of their times: a binary heap. */
export class EventQueue<Event> {
  readonly #events: { readonly time: number; readonly event: Event }[] = [];

  get size(): number {
    return this.#events.length;
  }

  add(time: number, event: Event): void {
    const events = this.#events;
    let at = events.push({ time, event }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#timeAt(parent) <= time) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Removes the earliest event. */
  next(): { readonly time: number; readonly event: Event } | undefined {
    const events = this.#events;
    const [first] = events;
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    events[0] = last;
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#timeAt(left + 1) < this.#timeAt(left) ? left + 1 : left;
      if (this.#timeAt(child) >= last.time) return first;
      this.#swap(at, child);
      at = child;
    }
  }

  #timeAt(at: number): number {
    return this.#events[at]?.time ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const events = this.#events as { time: number; event: Event }[];
    const kept = events[a] as { time: number; event: Event };
    events[a] = events[b] as { time: number; event: Event };
    events[b] = kept;
  }
}
