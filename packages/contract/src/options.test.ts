import assert from "node:assert/strict";
import { test } from "node:test";
import { type DescMessage, type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { http } from "../gen/google/api/annotations_pb.js";
import { access, event, rules, scope } from "../gen/wharf/annotations/annotations_pb.js";
import { GroupSchema, GroupsService } from "../gen/wharf/iam/v2beta1/groups_pb.js";
import { TagsService } from "../gen/wharf/registry/v2beta1/tags_pb.js";
import { accessOf, eventOf, fieldBehavior, httpRulesOf, isScope, rulesOf } from "./options.ts";
import { SERVICES } from "./services.ts";
import { SERVICES_V1 } from "./v1.ts";

const METHODS: readonly DescMethod[] = [...SERVICES, ...SERVICES_V1].flatMap(
  (service) => service.methods,
);

function scopePath(message: DescMessage): string | undefined {
  const field = message.fields.find(isScope);
  if (field?.fieldKind !== "message") return field?.name;
  return `${field.name}.${scopePath(field.message)}`;
}

test("every method has an access rule and a route", () => {
  for (const method of METHODS) {
    assert.ok(accessOf(method), `${method} has no access rule`);
    assert.ok(httpRulesOf(method).length > 0, `${method} has no route`);
  }
});

test("every scoped method names capabilities and a field to check them at", () => {
  for (const method of METHODS) {
    const access = accessOf(method);
    if (access?.kind !== "scoped") continue;
    assert.ok(access.capabilities.length > 0, `${method}`);
    assert.match(
      scopePath(method.input) ?? "none",
      /^(\w+\.)?(\w+_)?(uid|id|parent|group)$/,
      `${method}`,
    );
  }
});

test("options that are messages are read as the library reads them", () => {
  for (const method of METHODS) {
    const { rule } = getOption(method, access);
    const capabilities =
      rule.case === "scoped" || rule.case === "unscoped" ? rule.value.capabilities : undefined;
    const read = accessOf(method);
    assert.equal(read?.kind, rule.case);
    assert.deepEqual(read && "capabilities" in read ? read.capabilities : undefined, capabilities);
    assert.equal(eventOf(method)?.type, getOption(method, event).type || undefined);
    const route = getOption(method, http);
    assert.equal(httpRulesOf(method)[0]?.path, route.pattern.value);
    assert.equal(httpRulesOf(method).length, 1 + route.additionalBindings.length);
    for (const field of method.input.fields) {
      const all = hasOption(field, rules) ? getOption(field, rules) : undefined;
      assert.deepEqual(rulesOf(field), all, `${field}`);
      assert.equal(isScope(field), getOption(field, scope), `${field}`);
    }
  }
});

test("no two methods share a route", () => {
  const routes = METHODS.flatMap(httpRulesOf).map(({ verb, path }) => `${verb} ${path}`);
  assert.equal(new Set(routes).size, routes.length);
});

test("every write method has an event, and no read method has one", () => {
  for (const method of METHODS) {
    // To send events or to read images again changes no resource; the last three only answer clients of the public contract.
    const reads =
      /^(Get|List|Lookup|Check|BatchCheck|BatchGet|Compare|Count|Diff|Dump|Query|Search|Reindex|RunVulnerabilitySource|SyncUpstream|Exchange|Ping|Validate|TestIdentity|Export|Watch|Preview|Redeliver|Summary|AcceptTerms|UpdateIdentityMetadata)/.test(
        method.name,
      );
    assert.equal(eventOf(method) === undefined, reads, `${method}`);
  }
});

/** Records of what happened have one time, and are not in groups; grants are derived from resources. */
function isRecord({ typeName }: { readonly typeName: string }): boolean {
  return ["wharf.audit.v2beta1.AuditEntry", "wharf.iam.v2beta1.AccessGrant"].includes(typeName);
}

test("every resource has a uid and its times, which only the service sets", () => {
  const resources = METHODS.filter((method) => {
    return method.output.field.uid && /^Get/.test(method.name) && !isRecord(method.output);
  });
  assert.ok(resources.length >= 12);
  for (const { output } of resources) {
    const times = output.name === "RepoReadme" ? [] : ["createTime", "updateTime"];
    for (const name of ["uid", ...times]) {
      const field = output.field[name];
      assert.ok(field && fieldBehavior(field).outputOnly, `${output}.${name}`);
    }
  }
});

test("every list of resources can be paged, ordered and skipped, and counts", () => {
  const lists = METHODS.filter(
    ({ name, parent, output }) =>
      name.startsWith("List") &&
      parent.typeName.includes(".v2beta1.") &&
      output.fields[0]?.message?.field.uid !== undefined &&
      !isRecord(output.fields[0].message),
  );
  assert.ok(lists.length > 8);
  for (const method of lists) {
    for (const name of ["uidp", "pageSize", "pageToken", "orderBy", "skip"]) {
      assert.ok(method.input.field[name], `${method.input}.${name}`);
    }
    assert.ok(method.output.fields[0]?.fieldKind === "list", `${method.output}`);
    for (const [name, number] of Object.entries({ nextPageToken: 2, totalCount: 3, skipped: 4 })) {
      assert.equal(method.output.field[name]?.number, number, `${method.output}.${name}`);
    }
  }
});

test("options of a method are read into plain values", () => {
  const { createGroup, listGroups, deleteGroup } = GroupsService.method;
  assert.deepEqual(accessOf(listGroups), { kind: "unscoped", capabilities: [103] });
  assert.deepEqual(eventOf(createGroup), { type: "iam.group.created.v1", group: "self" });
  assert.deepEqual(eventOf(deleteGroup), { type: "iam.group.deleted.v1", group: "parent" });
  assert.equal(eventOf(TagsService.method.createTag)?.group, "root");
  assert.deepEqual(httpRulesOf(createGroup), [
    { verb: "POST", path: "/iam/v2beta1/groups/{parent=**}", body: "group" },
  ]);
});

test("options of a field are read into plain values", () => {
  const { name, uid, verified } = GroupSchema.field;
  assert.equal(rulesOf(name)?.pattern, "^[a-z0-9 ._-]{1,}$");
  assert.equal(rulesOf(verified), undefined);
  assert.ok(fieldBehavior(name).required && !fieldBehavior(name).outputOnly);
  assert.ok(isScope(uid) && !isScope(name));
});

test("every pattern of the contract is anchored at both ends and compiles", () => {
  const fields = METHODS.flatMap(({ input, output }) => [...input.fields, ...output.fields]);
  for (const field of fields) {
    const pattern = rulesOf(field)?.pattern;
    if (pattern) assert.ok(new RegExp(pattern, "u") && /^\^.*\$$/.test(pattern), `${field}`);
  }
});
