import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import type { DescService } from "@bufbuild/protobuf";
import { SessionsService } from "../gen/wharf/auth/sessions_pb.js";
import { GroupsService } from "../gen/wharf/iam/v2beta1/groups_pb.js";
import { RegistriesService } from "../gen/wharf/registry/v2beta1/registries_pb.js";
import { RegistrySettingsService } from "../gen/wharf/registry/v2beta1/settings_pb.js";
import { AdvisoryImportsService } from "../gen/wharf/vulnerabilities/v2beta1/imports_pb.js";
import { SERVICES, serviceNames } from "./services.ts";
import { SERVICES_V1 } from "./v1.ts";

const ALL = [...SERVICES, ...SERVICES_V1];

/** Services that no public client knows. */
const OURS: readonly DescService[] = [
  SessionsService,
  RegistriesService,
  RegistrySettingsService,
  AdvisoryImportsService,
];

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

test("no two services share a name, and all but our own have a public one", () => {
  const names = ALL.flatMap(serviceNames);
  assert.equal(new Set(names).size, names.length);
  for (const service of ALL) {
    const versions = service.typeName.includes(".v2beta1.") ? 2 : 1;
    const known = OURS.includes(service) ? 1 : 2;
    assert.equal(serviceNames(service).length, versions * known, service.typeName);
  }
});
