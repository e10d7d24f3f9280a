/**
 * V8 flags of a server: short collections of garbage stay short, since every request waits for them.
 *
 * - A server's allocations at its start live long, so V8 takes those of the same code for requests for long-lived,
 *   too, and puts it where only the rare full collections look. Short collections take up to ten times as long meanwhile.
 * - Several threads for one short collection wait for each other where other processes use the cores.
 *
 * V8 rejects a code cache that was made with other flags, that of Node.js for its own modules included. So flags are set
 * once the server is loaded, and unset for as long as its code cache is made.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const FLAGS = ["allocation-site-pretenuring", "parallel-scavenge"];

/** By default, V8 lets it grow to four times as much, and with it the longest short collection. */
const YOUNG_BYTES = 8 * 1024 * 1024;

/** Within it, the young generation doubles at most a few times. */
const WATCH_MS = 100;

const GROWING = 2;
const STEADY = 1;

/** Sets the flags and, from here on, keeps V8 from giving objects of requests much room before it collects them. */
export function setServerFlags(): void {
  setFlagsFromString(FLAGS.map((flag) => `--no-${flag}`).join(" "));
  let factor = GROWING;
  // V8 takes bounds of the young generation at the start of a process only, but the factor of its growth at any time. It
  // shrinks the young generation of an idle process, which then has to grow again.
  const watch = () => {
    const target = GROWING * youngBytes() <= YOUNG_BYTES ? GROWING : STEADY;
    if (target === factor) return;
    factor = target;
    setGrowth(factor);
  };
  watch();
  setInterval(watch, WATCH_MS).unref();
}

/** Unsets the flags, as a code cache needs it. */
export function unsetServerFlags(): void {
  setFlagsFromString(FLAGS.map((flag) => `--${flag}`).join(" "));
  setGrowth(GROWING);
}

function setGrowth(factor: number): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

/** Bytes that can be allocated between two short collections. */
function youngBytes(): number {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  return (space?.space_used_size ?? 0) + (space?.space_available_size ?? 0);
}
