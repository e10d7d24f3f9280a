import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventWithBody } from "../store/tables/events/event-log.ts";
import { attributesOf, payloadOf } from "./cloud-event.ts";

const NAMES = {
  typePrefix: "dev.chainguard",
  baseUrl: "https://wharf.example:8443",
  registryHost: "registry.example",
};

function event(type: string, act = ""): EventWithBody {
  const about = { subject: "s", group: "g", actor: "a", act, time: 0, body: '{"x":1}' };
  return { id: 1, tx: 1, eventId: "e", type, bodyType: "", ...about } as EventWithBody;
}

test("the source of registry traffic is a host without a scheme", () => {
  const push = event("registry.push.v1");
  assert.equal(attributesOf(push, NAMES).source, "registry.example");
  assert.equal(attributesOf(push, { ...NAMES, registryHost: "" }).source, "wharf.example:8443");
  const created = attributesOf(event("iam.group.created.v1"), NAMES);
  assert.equal(created.source, "https://wharf.example:8443/iam/v2beta1/groups");
});

test("the claims of the actor are left out if there are none", () => {
  const type = "iam.group.created.v1";
  assert.equal(payloadOf(event(type)), '{"actor":{"subject":"a"},"body":{"x":1}}');
  const claims = '{"iss":"i"}';
  assert.deepEqual(JSON.parse(payloadOf(event(type, claims))).actor.act, { iss: "i" });
});
