import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { GroupsService } from "../gen/wharf/iam/v2beta1/groups_pb.js";
import { SERVICES, serviceNames } from "./services.ts";
import { SERVICES_V1 } from "./v1.ts";

const ALL = [...SERVICES, ...SERVICES_V1];

/** The services of the public API, below `chainguard.platform`: existing clients call them by these names. */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  auth: ["Auth"],
  oidc: ["SecurityTokenService"],
  ping: ["PingService"],
  "ping.v2beta1": ["PingService"],
  iam: [
    ...["Groups", "Identities", "Roles", "RoleBindings", "GroupInvites", "IdentityProviders"],
    ...["GroupAccountAssociations", "ExternalGroupRoleMappings"],
  ],
  "iam.v2beta1": [
    ...["GroupsService", "IdentitiesService", "RolesService", "RoleBindingsService"],
    ...["GroupInvitesService", "IdentityProvidersService"],
    ...["AccountAssociationsService", "ExternalGroupRoleMappingsService"],
  ],
  registry: ["Registry"],
  "registry.v2beta1": ["ReposService", "TagsService", "ImagesService"],
  "vulnerabilities.v1": ["Advisories"],
  "vulnerabilities.v2beta1": ["AdvisoriesService"],
};

const GEN = new URL("../gen/", import.meta.url);

test("every service that a proto file declares is in the list", async () => {
  const files = readdirSync(new URL("wharf/", GEN), { recursive: true, encoding: "utf8" });
  const declared: string[] = [];
  for (const file of files.filter((name) => name.endsWith("_pb.js"))) {
    const module = await import(new URL(`wharf/${file}`, GEN).href);
    for (const value of Object.values<{ kind?: string; typeName?: string }>(module)) {
      if (value?.kind === "service") declared.push(String(value.typeName));
    }
  }
  assert.deepEqual(ALL.map((service) => service.typeName).sort(), declared.sort());
});

test("a service answers to its own name and the public one, in beta and out of it", () => {
  assert.deepEqual(serviceNames(GroupsService), [
    "wharf.iam.v2beta1.GroupsService",
    "chainguard.platform.iam.v2beta1.GroupsService",
    "wharf.iam.v2.GroupsService",
    "chainguard.platform.iam.v2.GroupsService",
  ]);
});

test("no two services share a name", () => {
  const names = ALL.flatMap(serviceNames);
  assert.equal(new Set(names).size, names.length);
});

test("every service of the public API answers to its public name, in beta and out of it", () => {
  const names = new Set(ALL.flatMap(serviceNames));
  for (const [area, services] of Object.entries(PUBLIC)) {
    for (const service of services) {
      const name = `chainguard.platform.${area}.${service}`;
      assert.ok(names.has(name), name);
      assert.ok(names.has(name.replace(".v2beta1.", ".v2.")), name);
    }
  }
});
