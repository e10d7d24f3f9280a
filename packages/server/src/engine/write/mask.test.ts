import assert from "node:assert/strict";
import { test } from "node:test";
import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import {
  GroupSchema,
  type Identity,
  IdentityProviderSchema,
  IdentitySchema,
  RepoSchema,
  RoleSchema,
} from "@wharf/contract";
import fc from "fast-check";
import { applyMask, readMask, rejectImmutableChanges } from "./mask.ts";

/** Failures name the path below this seed. */
const SEED = 20_261;

const text = fc.constantFrom("one", "two", "three");
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(shape, { requiredKeys: [] });

/** JSON can have one member of each oneof. */
const CHOICES = [
  ["claimMatch", "staticKeys", "awsIdentity"],
  ["issuer", "issuerPattern"],
  ["subject", "subjectPattern"],
];

function oneOfEach(json: JsonObject): JsonObject {
  const retained = Object.entries(json).filter(([key]) => {
    const rivals = CHOICES.find((choice) => choice.includes(key)) ?? [key];
    return rivals.find((rival) => rival in json) === key;
  });
  return Object.fromEntries(retained);
}

const claimMatches = some({
  issuer: text,
  issuerPattern: text,
  subject: text,
  subjectPattern: text,
  claims: fc.dictionary(text, text, { maxKeys: 2 }),
}).map(oneOfEach);

const staticKeys = some({
  issuer: text,
  subject: text,
  issuerKeys: text,
  expirationTime: fc.constantFrom("2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"),
  audiences: fc.array(text, { maxLength: 2 }),
}).map(({ issuer, subject, ...rest }) => {
  return { ...rest, ...(issuer ? { issuer } : {}), ...(subject ? { subject } : {}) };
});

/** Identities with any fields set, output-only ones included. */
const identities: fc.Arbitrary<JsonObject> = some({
  uid: text,
  name: text,
  description: text,
  email: text,
  company: text,
  createTime: fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"),
  claimMatch: claimMatches,
  staticKeys,
}).map((json) => oneOfEach(json as JsonObject));

const OUTPUT_ONLY = ["uid", "email", "createTime"];
const SETTABLE = ["name", "description", "company", "claimMatch", "staticKeys"];

const PATHS = [
  ...SETTABLE,
  ...OUTPUT_ONLY,
  "claimMatch.issuer",
  "claimMatch.issuerPattern",
  "claimMatch.subject",
  "claimMatch.claims",
  "staticKeys.subject",
  "staticKeys.audiences",
  "staticKeys.expirationTime",
];

const read = (json: JsonObject): Identity => fromJson(IdentitySchema, json);
const written = (identity: Identity) => toJson(IdentitySchema, identity) as JsonObject;

function snake(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The reference implementation, on JSON: the field of the path is as in the source, set or not. */
function copy(target: JsonObject, source: JsonObject | undefined, path: string[]): void {
  const [key, ...rest] = path as [string, ...string[]];
  const sent = source?.[key];
  if (rest.length === 0 && sent === undefined) {
    delete target[key];
    return;
  }
  if (rest.length > 0 && sent === undefined && target[key] === undefined) return;
  const rivals = CHOICES.find((choice) => choice.includes(key)) ?? [];
  for (const rival of rivals) if (rival !== key) delete target[rival];
  if (rest.length === 0) target[key] = structuredClone(sent) as JsonValue;
  else {
    target[key] ??= {};
    copy(target[key] as JsonObject, sent as JsonObject | undefined, rest);
  }
}

function expected(target: JsonObject, source: JsonObject, paths: readonly string[]): JsonObject {
  const result = structuredClone(target);
  for (const path of paths) {
    if (OUTPUT_ONLY.includes(path)) continue;
    copy(result, source, path.split("."));
  }
  // Through a message, which drops empty lists and maps.
  return written(read(result));
}

test("fields in the mask are replaced, all others stay", () => {
  const paths = fc.array(fc.constantFrom(...PATHS), { minLength: 1, maxLength: 4 });
  const property = fc.property(identities, identities, paths, (before, sent, list) => {
    const target = read(before);
    const source = read(sent);
    applyMask(target, source, readMask(IdentitySchema, list, source));
    assert.deepEqual(written(target), expected(before, written(source), list));
  });
  fc.assert(property, { seed: SEED, numRuns: 2_000 });
});

test("paths can be in snake case", () => {
  const property = fc.property(fc.constantFrom(...PATHS), identities, (path, sent) => {
    const source = read(sent);
    const mask = readMask(IdentitySchema, [path], source);
    assert.deepEqual(readMask(IdentitySchema, [snake(path)], source), mask);
  });
  fc.assert(property, { seed: SEED });
});

test("* covers every field that callers can set", () => {
  const property = fc.property(identities, identities, (before, sent) => {
    const target = read(before);
    const source = read(sent);
    applyMask(target, source, readMask(IdentitySchema, ["*"], source));
    const fixed = OUTPUT_ONLY.filter((key) => key in before).map((key) => [key, before[key]]);
    const settable = SETTABLE.filter((key) => key in sent).map((key) => [key, sent[key]]);
    const whole = Object.fromEntries([...fixed, ...settable]) as JsonObject;
    assert.deepEqual(written(target), written(read(whole)));
  });
  fc.assert(property, { seed: SEED, numRuns: 1_000 });
});

test("without paths, every field that is set in the given resource is updated", () => {
  const property = fc.property(identities, identities, (before, sent) => {
    const target = read(before);
    const source = read(sent);
    const json = written(source);
    applyMask(target, source, readMask(IdentitySchema, [], source));
    const paths = SETTABLE.filter((key) => key in json).flatMap((key) => {
      const inner = Object.keys(typeof json[key] === "object" ? (json[key] as JsonObject) : {});
      return inner.length === 0 ? [key] : inner.map((leaf) => `${key}.${leaf}`);
    });
    assert.deepEqual(written(target), expected(before, json, paths));
  });
  fc.assert(property, { seed: SEED, numRuns: 1_000 });
});

test("an unknown path is rejected", () => {
  const bad = [
    "nope",
    "",
    ".",
    "name.x",
    "name.",
    ".name",
    "claimMatch.nope",
    "claim_match.claims.a",
  ];
  const worse = ["__proto__", "constructor", "createTime.seconds", "Name", "capabilities", " name"];
  for (const path of [...bad, ...worse]) {
    const problem = { code: "INVALID_ARGUMENT", message: /updateMask/ };
    assert.throws(() => readMask(IdentitySchema, [path], read({})), problem, path);
    assert.throws(() => readMask(IdentitySchema, ["name", path], read({})), problem, path);
  }
  assert.throws(() => readMask(RoleSchema, ["capabilities.0"], fromJson(RoleSchema, {})));
  assert.throws(() => readMask(GroupSchema, ["resourceLimits.idps"], fromJson(GroupSchema, {})));
});

test("a star must be the only path", () => {
  for (const paths of [
    ["*", "name"],
    ["name", "*"],
    ["*", "*"],
  ]) {
    assert.throws(() => readMask(IdentitySchema, paths, read({})), { code: "INVALID_ARGUMENT" });
  }
});

test("an immutable field can be set, repeated and omitted, but not changed", () => {
  const provider = (correlationRule: string | undefined) => {
    const oidc = { issuer: "i", ...(correlationRule === undefined ? {} : { correlationRule }) };
    return fromJson(IdentityProviderSchema, { name: "n", oidc });
  };
  const [one, other] = [
    "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID",
    "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID",
  ];
  const change = (before: string | undefined, after: string | undefined) => () =>
    rejectImmutableChanges(IdentityProviderSchema, provider(before), provider(after));
  assert.doesNotThrow(change(undefined, one));
  assert.doesNotThrow(change(one, one));
  assert.throws(
    change(one, other),
    /oidc\.correlationRule cannot be changed|correlationRule cannot/,
  );
  assert.throws(change(one, undefined), { code: "INVALID_ARGUMENT" });
});

test("output-only fields within a message that can be set are left as they are", () => {
  const sent = fromJson(RepoSchema, { sync_config: { source: "b", unique_tags: true } });
  for (const paths of [[], ["sync_config.source", "sync_config.unique_tags"]]) {
    const stored = fromJson(RepoSchema, { sync_config: { source: "a", grace_period: true } });
    applyMask(stored, sent, readMask(RepoSchema, paths, sent));
    const { source, uniqueTags, gracePeriod } = stored.syncConfig ?? {};
    assert.deepEqual([source, uniqueTags, gracePeriod], ["b", false, true]);
  }
});
