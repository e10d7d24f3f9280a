import assert from "node:assert/strict";
import { test } from "node:test";
import {
  advisoriesV1,
  GroupsService,
  ImagesService,
  SERVICES,
  SessionsService,
} from "@wharf/contract/messages";
import { CLIENT_SERVICES, isPaged } from "./services.ts";
import { shortName } from "./short-name.ts";

test("the client has every service of the contract", () => {
  const names = (services: readonly { typeName: string }[]) =>
    services.map((service) => service.typeName).sort();
  assert.deepEqual(names(Object.values(CLIENT_SERVICES)), names(SERVICES));
});

const NAMES = [
  ["groups", "getGroup", "get"],
  ["identities", "listIdentities", "list"],
  ["identities", "lookupIdentity", "lookup"],
  ["roleBindings", "batchCreateRoleBindings", "batchCreate"],
  ["identityProviders", "generateScimToken", "generateScimToken"],
  ["accountAssociations", "checkAccountAssociation", "check"],
  ["repos", "updateRepoReadme", "updateReadme"],
  ["images", "getArchitectures", "getArchitectures"],
  ["sts", "exchangeRefreshToken", "exchangeRefreshToken"],
  ["auth", "getHeadlessSession", "getHeadlessSession"],
  ["sessions", "endSession", "end"],
  ["sessions", "logout", "logout"],
  ["ping", "ping", "ping"],
] as const;
for (const [service, method, short] of NAMES) {
  test(`${method} of ${service} is called ${short}`, () => {
    assert.equal(shortName(method, service), short);
  });
}

test("no two methods of a service have the same short name", () => {
  for (const [name, service] of Object.entries(CLIENT_SERVICES)) {
    const shorts = service.methods.map((method) => shortName(method.localName, name));
    assert.equal(new Set(shorts).size, shorts.length, name);
  }
});

test("lists are recognized by their response type", () => {
  assert.equal(isPaged(GroupsService.method.listGroups), true);
  assert.equal(isPaged(SessionsService.method.listSessions), true);
  assert.equal(isPaged(advisoriesV1.Advisories.method.list), true);
  assert.equal(isPaged(advisoriesV1.Advisories.method.listAdvisoryEvents), false);
  assert.equal(isPaged(GroupsService.method.getGroup), false);
  assert.equal(isPaged(ImagesService.method.getArchitectures), false);
});
