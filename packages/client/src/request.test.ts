import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import {
  GroupSchema,
  ListGroupsRequestSchema,
  UpdateGroupInviteRequestSchema,
  UpdateGroupRequestSchema,
  UpdateIdentityRequestSchema,
} from "@wharf/contract/messages";
import { type RequestOf, requestMessage } from "./request.ts";

type UpdateIdentity = RequestOf<typeof UpdateIdentityRequestSchema>;
const maskOf = (request: UpdateIdentity) =>
  requestMessage(UpdateIdentityRequestSchema, request).updateMask?.paths;

test("given fields change, also empty ones", () => {
  assert.deepEqual(maskOf({ identity: { uid: "a", name: "b", description: "" } }), [
    "name",
    "description",
  ]);
  assert.deepEqual(maskOf({ identity: { uid: "a" } }), []);
});

test("nested fields have paths; maps and oneofs count as a whole", () => {
  const sub = { case: "subject", value: "b" } as const;
  const value = { sub, claims: { a: "b" } };
  const relationship = { case: "claimMatch", value } as const;
  assert.deepEqual(maskOf({ identity: { uid: "a", relationship } }), [
    "claim_match.subject",
    "claim_match.claims",
  ]);
  const empty = { case: "claimMatch", value: {} } as const;
  assert.deepEqual(maskOf({ identity: { relationship: empty } }), ["claim_match"]);
});

test("well-known types count as a whole", () => {
  const groupInvite = { uid: "a", ttl: { seconds: 5n } };
  const { updateMask } = requestMessage(UpdateGroupInviteRequestSchema, { groupInvite });
  assert.deepEqual(updateMask?.paths, ["ttl"]);
});

test("a mask is used as given, in either spelling and form", () => {
  const identity = { uid: "a", name: "b" };
  assert.deepEqual(maskOf({ identity, updateMask: ["claimMatch.issuerPattern"] }), [
    "claim_match.issuer_pattern",
  ]);
  assert.deepEqual(maskOf({ identity, updateMask: { paths: ["claim_match"] } }), ["claim_match"]);
  assert.deepEqual(maskOf({ identity, updateMask: ["*"] }), ["*"]);
});

test("a complete message implies no mask", () => {
  const group = create(GroupSchema, { uid: "a", name: "b" });
  const request = requestMessage(UpdateGroupRequestSchema, { group });
  assert.equal(request.updateMask, undefined);
  assert.equal(request.group?.name, "b");
});

test("requests without a mask stay as they are", () => {
  const request = requestMessage(ListGroupsRequestSchema, { uidp: { childrenOf: "a" } });
  assert.equal(request.uidp?.childrenOf, "a");
});
