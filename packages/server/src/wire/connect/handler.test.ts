import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
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

test("unknown fields of JSON are named, or rejected if the client prefers that", async (t) => {
  const port = await open(t, { GetGroup: () => create(GroupSchema) });
  const send = (prefer: string) => {
    const headers = { "content-type": "application/json", prefer };
    return fetch(port.url + GET, { method: "POST", headers, body: '{"uid": "u", "no": 1}' });
  };
  const lenient = await send("");
  assert.equal(lenient.status, 200);
  assert.equal(lenient.headers.get("warning"), '299 - "unknown field no"');
  const strict = await send("handling=strict");
  assert.equal(strict.status, 400);
  assert.equal(strict.headers.get("preference-applied"), "handling=strict");
});
