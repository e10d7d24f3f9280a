import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "./support/until.ts";
import { World } from "./support/world/world.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

test("the request log names the caller and the trace", async () => {
  const world = await World.start();
  const org = await world.organization();
  const member = await world.member({ [org]: "viewer" });
  const headers = {
    authorization: `Bearer ${member.token}`,
    traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
  };
  const get = (path: string, fields: Record<string, string>) =>
    fetch(`${world.server.url}${path}`, { headers: fields });
  await get(`/iam/v2beta1/groups/${org}`, { ...headers, "x-request-id": "traced" });
  await get(`/iam/v2beta1/groups/${"0".repeat(40)}`, { ...headers, "x-request-id": "denied" });
  await get(`/iam/v2beta1/groups/${org}`, { "x-request-id": "anonymous" });
  // Lines are written in batches, the last one soon after.
  await until(async () => world.server.log.includes('"anonymous"') || undefined);
  await world.stop();
  const lines = world.server.log.split("\n").flatMap((line) => {
    return line.includes('"requestId"') ? [JSON.parse(line) as Record<string, unknown>] : [];
  });
  const line = (requestId: string) => lines.find((one) => one.requestId === requestId);
  for (const id of ["traced", "denied"]) {
    const { caller, callerName, traceId } = line(id) ?? {};
    assert.deepEqual({ caller, traceId }, { caller: member.uid, traceId: TRACE }, id);
    assert.match(String(callerName), /^member-/);
  }
  const anonymous = line("anonymous") ?? assert.fail("the request is logged");
  assert.ok(!("caller" in anonymous) && !("traceId" in anonymous));
});
