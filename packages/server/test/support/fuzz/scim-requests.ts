/** SCIM requests, as identity providers would send them or as they never would. */
import type { Random } from "../oracle/random.ts";
import { jsonRubbish } from "./messages.ts";
import {
  authorizationOf,
  type CallerName,
  type FuzzRequest,
  type Phase,
  percentEncoded,
  pickCaller,
  valuesFor,
} from "./request.ts";
import type { Values } from "./values.ts";
import { ODD_HEADERS } from "./words.ts";

const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";
const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
const PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

const FILTERS = [
  'userName eq "ada"',
  'externalId eq "x" and active eq true',
  'displayName sw "a" or not (active eq false)',
  'emails[type eq "work"].value co "@"',
  'meta.lastModified gt "2026-01-01T00:00:00Z"',
  'meta.lastModified gt "x"',
  `${USER}:userName pr`,
  "userName eq",
  "((((((((((userName pr))))))))))",
  `userName eq "${"x".repeat(4_000)}"`,
  "not ".repeat(200),
  `${"(".repeat(500)}a pr${")".repeat(500)}`,
  'userName eq "\\u0000"',
  "__proto__ pr",
  "constructor.name eq 1",
  'members.value eq "<own.scimUser>"',
  "active eq 1e999",
];

const PATHS = [
  "active",
  "userName",
  "name.familyName",
  "emails",
  'emails[type eq "work"].value',
  "members",
  'members[value eq "<own.scimUser>"]',
  "displayName",
  `${ENTERPRISE}:manager.value`,
  "__proto__",
  "__proto__.polluted",
  "constructor.prototype.x",
  "members[",
  "a.b.c",
  "",
  "schemas",
  "id",
  "meta.version",
];

/**
 * A request to the endpoint at which identity providers provision.
 *
 * @example const request = scimRequest(new Chance(7), "authenticated");
 */
export function scimRequest(random: Random, phase: Phase): FuzzRequest {
  const known: CallerName = random.below(10) === 0 ? pickCaller(random, phase) : "provisioner";
  const caller = phase === "anonymous" ? pickCaller(random, phase) : known;
  const values = valuesFor(random, caller, "IdentityProvider");
  const other = percentEncoded(values.anything()).replaceAll("%2F", "/");
  const provider = values.oneIn(12) ? other : "<own.provider>";
  const collection = values.oneIn(15)
    ? random.pick(["ServiceProviderConfig", "Schemas", "ResourceTypes", "Bulk", "Me", "x"])
    : random.pick(["Users", "Groups"]);
  const base = `/scim/v2/${provider}/${collection}`;
  const isUser = collection !== "Groups";
  const [method, rest] = random.pick(SHAPES);
  const id = rest === "" ? "" : `/${idOf(values, isUser)}`;
  const body = bodyOf(values, method, isUser);
  const query = method === "GET" && values.oneIn(2) ? `?${queryOf(values)}` : "";
  const headers = [...authorizationOf(random, caller)];
  if (body !== undefined) headers.push(["content-type", "application/scim+json"]);
  if (values.oneIn(6)) headers.push(["if-match", random.pick(["*", 'W/"1"', '"', ""])]);
  if (values.goesWrong()) headers.push([...random.pick(ODD_HEADERS)]);
  const path = `${base}${id}${query}`;
  return { via: "http", caller, method, path, headers, ...(body === undefined ? {} : { body }) };
}

const SHAPES = [
  ["GET", ""],
  ["GET", "id"],
  ["POST", ""],
  ["POST", ""],
  ["PUT", "id"],
  ["PATCH", "id"],
  ["PATCH", "id"],
  ["DELETE", "id"],
  ["DELETE", ""],
] as const;

function idOf(values: Values, isUser: boolean): string {
  if (!values.goesWrong()) return isUser ? "<own.scimUser>" : "<own.scimGroup>";
  return encodeURIComponent(values.malformedText().toWellFormed());
}

function bodyOf(values: Values, method: string, isUser: boolean): string | undefined {
  if (method === "GET" || method === "DELETE") return undefined;
  if (values.goesWrong() && values.oneIn(4)) {
    return values.random.pick([
      "",
      "{",
      "[]",
      "null",
      "[".repeat(9_000),
      `{"a":${"9".repeat(400)}}`,
    ]);
  }
  if (method === "PATCH") return JSON.stringify(patchOf(values));
  return JSON.stringify(isUser ? userOf(values) : groupOf(values));
}

/** A text, or anything where something goes wrong. */
function either(values: Values, ...texts: unknown[]): unknown {
  return values.goesWrong() ? jsonRubbish(values, 0) : values.random.pick(texts);
}

function userOf(values: Values): object {
  const number = values.random.below(60);
  return {
    schemas: either(values, [USER], [USER, ENTERPRISE]),
    userName: either(values, `user-${number}`, `USER-${number}`),
    externalId: either(values, `external-${number}`),
    active: either(values, true, false, "True"),
    name: either(values, { givenName: "Ada", familyName: "L" }),
    emails: either(values, [{ value: "ada@own.invalid", type: "work", primary: true }]),
    [ENTERPRISE]: either(values, { manager: { value: "x" } }),
    ...(values.goesWrong() ? { [values.malformedText()]: jsonRubbish(values, 0) } : {}),
  };
}

function groupOf(values: Values): object {
  const number = values.random.below(20);
  return {
    schemas: either(values, [GROUP]),
    displayName: either(values, `group-${number}`),
    externalId: either(values, `external-${number}`),
    members: either(values, [], [{ value: "<own.scimUser>" }], [{ value: "x" }, { value: "x" }]),
  };
}

function patchOf(values: Values): object {
  const operation = () => ({
    op: either(values, "add", "replace", "remove", "Replace", "move"),
    ...(values.oneIn(4) ? {} : { path: either(values, ...PATHS) }),
    ...(values.oneIn(6)
      ? {}
      : { value: either(values, true, "x", [{ value: "<own.scimUser>" }], { active: false }) }),
  });
  const count = values.goesWrong() ? values.random.pick([0, 5, 200]) : 1 + values.random.below(2);
  return { schemas: either(values, [PATCH]), Operations: Array.from({ length: count }, operation) };
}

function queryOf(values: Values): string {
  const pairs = {
    filter: FILTERS,
    startIndex: ["1", "0", "-1", "2147483648", "x", "1e9", "9".repeat(30)],
    count: ["10", "0", "-1", "100000", "NaN"],
    attributes: ["userName", "emails.value", "__proto__", ",,", "x".repeat(3_000)],
    excludedAttributes: ["members", "id"],
    sortBy: ["userName", "x"],
    sortOrder: ["descending", "x"],
  };
  return Object.entries(pairs)
    .filter(() => values.oneIn(2))
    .map(([name, texts]) => {
      const text = values.goesWrong() ? values.malformedText() : values.random.pick(texts);
      return `${name}=${percentEncoded(text)}`;
    })
    .join("&");
}
