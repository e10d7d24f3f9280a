import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import {
  type AccessRule,
  accessOf,
  advisoriesV1,
  capabilityName,
  httpRulesOf,
  isScope,
  SERVICES,
} from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { METHODS } from "../../../scripts/migration-docs/mapping.ts";
import { setField } from "../src/rpc/fields.ts";
import { sendBytes } from "./support/client/grpc.ts";
import { Http } from "./support/client/http.ts";
import { digest } from "./support/registry/oci-image.ts";
import { onStore, roleNamed, type World } from "./support/world/world.ts";

/** Each method of version 1 with those of version 2 that do the same. */
const PAIRS = [...SERVICES_V1, advisoriesV1.Advisories].flatMap(({ name, methods }) => {
  return methods.map((method) => {
    const successors = (METHODS[`${name}/${method.name}`] ?? []).map(methodOfV2);
    return [method, successors] as const;
  });
});

function methodOfV2(path: string): DescMethod {
  const [service, name] = path.split("/");
  const found = SERVICES.find((one) => one.name === service && one.typeName.includes(".v2beta1."));
  const method = found?.methods.find((one) => one.name === name);
  assert.ok(method, path);
  return method;
}

function capabilitiesOf(method: DescMethod): readonly string[] {
  const rule = accessOf(method) as AccessRule;
  return "capabilities" in rule ? rule.capabilities.map(capabilityName) : [];
}

/** A request with only a scope: it changes nothing for any caller. */
function requestAt(schema: DescMessage, uid: string): Message {
  const message: Message = create(schema);
  const field = schema.fields.find(isScope) as DescField;
  setField(message, field, field.message ? requestAt(field.message, uid) : uid);
  return message;
}

/**
 * Access control is the same on both stores, so callers and methods are divided between them: every
 * other one on SQLite, the rest on PostgreSQL.
 */
function isTurnOf({ store }: World, at: number): boolean {
  return (store === "sqlite") === (at % 2 === 0);
}

/**
 * The roles or capabilities of callers, by name: a built-in role or capabilities, at some place. For each capability,
 * one store has who holds it alone, and the other who holds all others.
 */
async function callersOf(world: World, org: string, folder: string, other: string) {
  const at = async (place: string, role: string | readonly string[]) => {
    return (await world.member({ [place]: role })).token;
  };
  const callers = new Map([
    ["nobody", ""],
    ["a stranger", (await world.member()).token],
    ["an owner elsewhere", await at(other, "owner")],
    ["an owner of the folder", await at(folder, "owner")],
  ]);
  const roles = ["viewer", "console_viewer", "editor", "limited_owner", "owner"];
  for (const role of [...roles, "registry.pull", "registry.push"]) {
    callers.set(`a ${role}`, await at(org, role));
  }
  const all = [...new Set(PAIRS.flatMap(([method]) => capabilitiesOf(method)))];
  for (const [number, capability] of all.entries()) {
    if (isTurnOf(world, number)) {
      callers.set(`only ${capability}`, await at(org, [capability]));
    } else {
      const others = all.filter((one) => one !== capability);
      callers.set(`all but ${capability}`, await at(org, others));
    }
  }
  return callers;
}

const LISTS: readonly (readonly [v1: string, v2: string, items: string])[] = [
  ["/iam/v1/groups", "/iam/v2/groups", "groups"],
  ["/iam/v1/identities", "/iam/v2/identities", "identities"],
  ["/iam/v1/roles", "/iam/v2/roles", "roles"],
  ["/iam/v1/rolebindings", "/iam/v2/roleBindings", "roleBindings"],
  ["/iam/v1/group_invites", "/iam/v2/groupInvites", "groupInvites"],
  ["/iam/v1/identityProviders", "/iam/v2/identityProviders", "identityProviders"],
  ["/iam/v1/account_associations", "/iam/v2/accountAssociations", "accountAssociations"],
  [
    "/iam/v1/externalGroupRoleMappings",
    "/iam/v2/externalGroupRoleMappings",
    "externalGroupRoleMappings",
  ],
  ["/registry/v1/repos", "/registry/v2/repos", "repos"],
  ["/registry/v1/tags", "/registry/v2/tags", "tags"],
  ["/registry/v1/eoltags", "/registry/v2/tags", "tags"],
  ["/vulnerabilities/v1/advisories", "/vulnerabilities/v2/advisories", "advisories"],
];

/** The methods that lists are, by their paths. */
const LISTED = new Map(PAIRS.map(([method]) => [httpRulesOf(method)[0]?.path, method]));

// Version 1 calls methods of version 2, whose access rules are tested on each store.
onStore("sqlite", "access control of v1", (world) => {
  let org: string;
  let folder: string;
  let callers: Map<string, string>;
  before(async () => {
    org = await world.organization();
    folder = await world.group(org);
    const other = await world.organization();
    for (const place of [org, folder, other]) await fill(world, place);
    callers = await callersOf(world, org, folder, other);
  });

  const codeOf = (method: DescMethod, uid: string, token: string): Promise<number> => {
    const bytes = Buffer.from(toBinary(method.input, requestAt(method.input, uid)));
    const path = `/${method.parent.typeName}/${method.name}`;
    return sendBytes(world.server.url, token, path, bytes).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
  };
  const isLetIn = (code: number) => code !== 7 && code !== 16;
  let methods = 0;
  /**
   * Owners of all and of a part, every other one of those who hold roles, the others with the next
   * method, and those who hold one, or all but one, of these capabilities.
   */
  const concerned = (capabilities: readonly string[], method: number) => {
    return [...callers].filter(([name], at) => {
      const [, capability] = /^(?:only|all but) (.*)/.exec(name) ?? [];
      if (capability !== undefined) return capabilities.includes(capability);
      return /^an? owner(?! elsewhere)/.test(name) || isTurnOf(world, at + method);
    });
  };

  describe("equals that of v2", () => {
    for (const [method, successors] of PAIRS) {
      if (accessOf(method)?.kind !== "scoped") continue;
      // The later successors are a part that only some may do, and that others omit.
      const [first] = successors;
      const scoped = first !== undefined && accessOf(first)?.kind === "scoped" ? first : undefined;
      // To change a tag that is there is less than to make one: version 2 does not tell them apart.
      const same = method.name === "UpdateTag" ? undefined : scoped;
      const number = methods++;
      test(`${method.parent.name}.${method.name}`, async () => {
        const needed = capabilitiesOf(method);
        const among = concerned([...needed, ...(same ? capabilitiesOf(same) : [])], number);
        const letIn: string[] = [];
        for (const [name, token] of among) {
          // Nothing is there, so nothing can happen to it.
          const place = `${org}/${"0".repeat(16)}`;
          const code = await codeOf(method, place, token);
          if (same) {
            const expected = await codeOf(same, place, token);
            assert.equal(isLetIn(code), isLetIn(expected), `${name}: ${code}, ${expected}`);
          }
          assert.equal(code === 16, name === "nobody", name);
          if (isLetIn(code)) letIn.push(name);
        }
        for (const capability of needed) assert.ok(!letIn.includes(`all but ${capability}`));
        assert.ok(letIn.length > 0, "somebody is let in");
        assert.ok(!letIn.includes("a stranger") && !letIn.includes("an owner elsewhere"));
      });
    }

    for (const [one, two, items] of LISTS) {
      const method = LISTED.get(one);
      assert.ok(method, one);
      const capabilities = capabilitiesOf(method);
      const number = methods++;
      test(`GET ${one}`, async () => {
        const seen = new Set<string>();
        for (const [name, token] of concerned(capabilities, number)) {
          const rest = new Http(world.server.url, token);
          const shown = await rest.get(one);
          const kinds = "includeReferrers=true&includeDates=true&includeEpochs=true&pageSize=200";
          const expected = await rest.get(`${two}?${kinds}`);
          assert.equal(shown.status, expected.status, name);
          if (name === "nobody") continue;
          assert.equal(expected.body.nextPageToken, "", "all of them");
          const ids = idsOf(shown.body.items);
          assert.deepEqual(ids, idsOf(expected.body[items]), name);
          seen.add(ids.join());
        }
        assert.ok(seen.size > 2, "callers differ in what they see");
      });
    }
  });

  test("has the same errors", () => {
    for (const [method, successors] of PAIRS) {
      const [first] = successors;
      if (first === undefined || first.name.startsWith("List") !== method.name.startsWith("List"))
        continue;
      if (["UpdateTag", "ListAdvisoryEvents", "CreateWithGroup"].includes(method.name)) continue;
      assert.deepEqual(capabilitiesOf(method), capabilitiesOf(first), `${method} and ${first}`);
    }
  });
});

function idsOf(items: readonly Record<string, string>[]): string[] {
  return items.map(({ id, uid, group }) => id ?? uid ?? group ?? "").sort();
}

/** One of everything. */
async function fill(world: World, place: string): Promise<void> {
  const api = world.operator();
  const viewer = roleNamed("viewer");
  const role = await world.role(place, ["groups.list"]);
  const { uid } = await world.member({ [place]: "viewer" });
  await api.identities.create(place, {
    name: "ci",
    claimMatch: { issuer: "https://issuer.example.com", subject: world.name() },
  });
  assert.ok(role && uid);
  await api.groupInvites.create(place, { roleUid: viewer, ttl: "3600s" });
  const oidc = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
  const provider = { name: "corp", defaultRole: viewer, oidc };
  const idp = (await api.identityProviders.create(place, provider)).uid;
  await api.externalGroupRoleMappings.create(idp, { externalGroupId: "g", roleUid: viewer });
  await api.accountAssociations.create(place, { name: "clouds" });
  const repo = (await api.repos.create(place, { name: "app" })).uid;
  await api.tags.create(repo, { name: "1.0", digest: digest(1) });
  const advisory = { artifactType: "apk", artifactName: "openssl" };
  const rest = new Http(api.url, api.token);
  const made = await rest.post("/vulnerabilities/v1/advisories", { parentId: place, advisory });
  assert.equal(made.status, 200, JSON.stringify(made.body));
}
