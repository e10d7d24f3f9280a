import assert from "node:assert/strict";
import { test } from "node:test";
import { type Followed, follow } from "../src/api/live-stream.ts";

/** A connection: the events that it has, and the code of the error that ends it. */
type Connection = readonly [events: readonly string[], code: string];

async function followed(connections: readonly Connection[], after = "") {
  const stop = new AbortController();
  const seen: string[] = [];
  let at = 0;
  const log: Followed<string> = {
    async *open(position, onOpen) {
      const connection = connections[at++];
      if (connection === undefined) {
        stop.abort();
        return;
      }
      seen.push(`open ${position}`);
      const [events, code] = connection;
      if (code !== "UNAVAILABLE") onOpen();
      yield* events;
      if (code !== "") throw Object.assign(new Error(code), { code });
    },
    async pause(ms) {
      seen.push(`pause up to ${2 ** Math.ceil(Math.log2(ms / 1_000))} s`);
      assert.ok(ms <= 60_000);
    },
    idOf: (event) => event,
    onEvent: (event) => seen.push(event),
    onGap: () => seen.push("gap"),
    onState: (state) => state === "denied" && seen.push(state),
  };
  await follow(log, after, stop.signal);
  return seen;
}

test("a stream continues after the last event, with growing pauses", async () => {
  const lost: Connection = [[], "UNAVAILABLE"];
  assert.deepEqual(await followed([[["a", "b"], ""], lost, lost, [["c"], "UNAVAILABLE"]]), [
    ...["open ", "gap", "a", "b", "pause up to 1 s"],
    ...["open b", "pause up to 2 s"],
    ...["open b", "pause up to 4 s"],
    ...["open b", "c", "pause up to 1 s"],
  ]);
});

test("an expired token is replaced at once, and only once without an event", async () => {
  const expired: Connection = [[], "UNAUTHENTICATED"];
  assert.deepEqual(await followed([[["a"], "UNAUTHENTICATED"], expired, [["b"], ""]]), [
    ...["open ", "gap", "a", "open a", "pause up to 2 s"],
    ...["open a", "b", "pause up to 1 s"],
  ]);
});

test("a stream without a position reports that what was read before may be out of date", async () => {
  assert.deepEqual(
    await followed([
      [["a"], "OUT_OF_RANGE"],
      [["c"], ""],
    ]),
    [...["open ", "gap", "a", "pause up to 1 s", "open ", "gap", "c", "pause up to 1 s"]],
  );
  assert.deepEqual(await followed([[["c"], ""]], "b"), ["open b", "c", "pause up to 1 s"]);
});

test("a stream that the caller may not read ends", async () => {
  assert.deepEqual(
    await followed([
      [["a"], "PERMISSION_DENIED"],
      [["b"], ""],
    ]),
    [...["open ", "gap", "a", "denied"]],
  );
});
