import { SlicedTask } from "../scheduling/time-slices.ts";

/** A task that ends its slice at each pause, and counts them. */
export class CountedTask extends SlicedTask {
  steps = 0;

  constructor() {
    const next = async () => {
      this.steps++;
    };
    super(next, 0, () => 0);
  }
}
