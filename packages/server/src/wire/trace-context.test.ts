import assert from "node:assert/strict";
import { test } from "node:test";
import { childTraceparent, readTraceparent } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const VALID = `00-${TRACE}-00f067aa0ba902b7-01`;

test("a trace continues with a new span", () => {
  const trace = readTraceparent(VALID);
  assert.deepEqual(trace, { traceId: TRACE, parentId: "00f067aa0ba902b7", flags: "01" });
  const child = childTraceparent({ traceId: TRACE, parentId: "00f067aa0ba902b7", flags: "01" });
  assert.match(child, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  assert.notEqual(child, VALID);
  assert.deepEqual(readTraceparent(`01${VALID.slice(2)}-more`), trace, "later versions may add");
});

test("invalid fields are ignored", () => {
  const invalid = [
    undefined,
    "",
    [VALID, VALID],
    VALID.toUpperCase(),
    `${VALID}-more`,
    `ff${VALID.slice(2)}`,
    VALID.replace(TRACE, "0".repeat(32)),
    VALID.replace("00f067aa0ba902b7", "0".repeat(16)),
    VALID.slice(0, -1),
    `${VALID}"`,
  ];
  for (const header of invalid) assert.equal(readTraceparent(header), undefined, String(header));
});
