import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { accessOf, advisoriesV1, httpRulesOf, isScope } from "@wharf/contract";
import { SERVICES_V1 } from "@wharf/contract/v1";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore } from "./support/world/world.ts";

const METHODS = [...SERVICES_V1, advisoriesV1.Advisories].flatMap(({ methods }) => methods);

const DIGEST = `sha256:${"0".repeat(64)}`;

/** Fields that some methods check before the scope. */
const OTHERWISE: Readonly<Record<string, Record<string, unknown>>> = {
  "RoleBindings.CreateBatch": { roleBindings: [{}] },
  "Registry.CreateRepo": { repo: {} },
  "Registry.GetArchs": { digest: DIGEST },
  "Registry.GetSize": { digest: DIGEST },
  "Registry.GetImageConfig": { digest: DIGEST },
  "Registry.GetSbom": { digest: DIGEST },
  "Registry.GetRawSbom": { digest: DIGEST },
  "Registry.GetVulnReport": { digest: DIGEST },
  "Registry.GetHelm": { digest: DIGEST },
  "Registry.GetChart": { digest: DIGEST },
  "Advisories.Update": { artifactType: "apk", artifactName: "openssl" },
};

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.name}.${name}`;
}

function scopeOf({ input }: DescMethod): DescField {
  const field = input.fields.find(isScope);
  assert.ok(field, `${input} does not say where`);
  return field;
}

onEachStore("every v1 method", (world) => {
  let member: string;
  before(async () => {
    member = (await world.member({ [await world.organization()]: "owner" })).token;
  });

  describe("with a scope", () => {
    for (const method of METHODS.filter((one) => accessOf(one)?.kind === "scoped")) {
      const { jsonName } = scopeOf(method);
      // Over REST, the path of one mapping without its uid is that of their list.
      const isList = nameOf(method) === "ExternalGroupRoleMappings.Get";
      world.rule(
        `requires ${jsonName}: ${nameOf(method)}`,
        async ({ protocol, token: operator }) => {
          const request = OTHERWISE[nameOf(method)] ?? {};
          const refusal = (token: string) => {
            const api = world.operator(isList ? "gRPC" : protocol).as(token);
            return rejected(api.call(method.parent, method.name, request));
          };
          for (const token of [member, operator]) {
            const { code, message, fields } = await refusal(token);
            assert.equal(code, 3, message);
            assert.ok(jsonName in fields, message);
          }
          assert.equal((await refusal("")).code, 16, "but not anyone");
        },
      );
    }
  });

  describe("over REST", () => {
    for (const method of METHODS) {
      // The rest of their areas is not supported, whatever the verb.
      if (/^wharf\.(argos|products)\./.test(method.parent.typeName)) continue;
      const [rule] = httpRulesOf(method);
      assert.ok(rule, `${method} has no path`);
      const path = rule.path
        .replace(/\{\w+=\*\*\}/, `${"0".repeat(40)}/${"1".repeat(16)}`)
        .replace(/\{digest(=\*)?\}/, DIGEST);
      test(`answers to ${rule.verb} and not to PATCH: ${nameOf(method)}`, async () => {
        const rest = new Http(world.server.url, world.operator().token);
        for (const verb of ["PATCH", "OPTIONS"]) {
          const { status, headers, body } = await rest.send(
            verb,
            path,
            verb === "PATCH" ? {} : undefined,
          );
          assert.equal(status, 405, `${verb} ${path}`);
          assert.equal(body.code, 12);
          const allowed = (headers.get("allow") ?? "").split(", ");
          assert.ok(allowed.includes(rule.verb), `${allowed} for ${rule.verb} ${path}`);
          assert.equal(allowed.includes("HEAD"), allowed.includes("GET"));
        }
        if (rule.verb !== "GET") return;
        const [got, head] = [await rest.get(path), await rest.send("HEAD", path)];
        assert.deepEqual([head.status, head.body], [got.status, undefined]);
        assert.equal(head.headers.get("content-type"), "application/json");
      });
    }
  });
});
