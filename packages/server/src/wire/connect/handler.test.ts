import assert from "node:assert/strict";
import { test } from "node:test";
import { open } from "../testing/open.ts";

const GET = "/wharf.iam.v2beta1.GroupsService/GetGroup";

test("a call ends at the client's time limit", async (t) => {
  const port = await open(t, { GetGroup: () => new Promise(() => {}) });
  const headers = { "content-type": "application/json", "connect-timeout-ms": "20" };
  const answer = await fetch(port.url + GET, { method: "POST", headers, body: "{}" });
  const { code } = (await answer.json()) as { code: string };
  assert.deepEqual([answer.status, code], [504, "deadline_exceeded"]);
  assert.equal(port.events[0]?.protocol, "connect");
});

test("credentials are checked before the body is read", async (t) => {
  const port = await open(t, { GetGroup: () => assert.fail("not admitted") });
  port.methods.admission = () => Promise.reject(new Error("denied"));
  const headers = { "content-type": "application/json" };
  const answer = await fetch(port.url + GET, { method: "POST", headers, body: "{" });
  assert.equal(answer.status, 500);
  assert.deepEqual(port.methods.calls, []);
});
