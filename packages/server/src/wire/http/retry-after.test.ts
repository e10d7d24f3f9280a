import assert from "node:assert/strict";
import { test } from "node:test";
import { tooMany, WharfError } from "../../lib/errors.ts";
import { open } from "../testing/open.ts";

for (const [what, error, expected] of [
  ["an unavailable store", new WharfError("UNAVAILABLE", "the store"), [503, "5"]],
  ["an error that says when", tooMany("too many", 7), [429, "7"]],
  [
    "an error that does not say when",
    new WharfError("RESOURCE_EXHAUSTED", "too long"),
    [429, "60"],
  ],
  ["any other error", new WharfError("ABORTED", "changed"), [409, null]],
] as const) {
  test(`Retry-After of ${what}`, async (t) => {
    const port = await open(t, {
      GetGroup: () => {
        throw error;
      },
    });
    const response = await fetch(`${port.url}/iam/v2beta1/groups/a`);
    assert.deepEqual([response.status, response.headers.get("retry-after")], expected);
  });
}

test("Retry-After of an endpoint that composes its response", async (t) => {
  const handle = async () => ({ status: 503, headers: {}, body: "" });
  const port = await open(t, {}, { endpoints: [{ method: "GET", path: "/page", handle }] });
  const response = await fetch(`${port.url}/page`);
  assert.equal(response.headers.get("retry-after"), "5");
});
