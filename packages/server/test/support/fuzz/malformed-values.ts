/** The words that malformed requests are made of. */
import { gzipSync } from "node:zlib";

/** Pieces of paths that are empty, lead upwards, or are badly encoded. */
export const ODD_PIECES = ["", ".", "..", "%2e%2e", "%2F", "%00", "%ff", "%C0%AF", "%", "%zz"];

export const NASTY = [
  ...ODD_PIECES,
  "%u0041",
  "%E2%82",
  "%F0%9F%98%80",
  "{uid=**}",
  "**",
  ":batchCreate",
  ";a=b",
  "a".repeat(3_000),
  "'--",
  "\\",
  "0".repeat(40),
  `${"0".repeat(40)}/${"1".repeat(16)}`,
  "F".repeat(40),
  "__proto__",
  "constructor",
  "<group>",
  "<role>",
  "<group>/",
  `<group>%2F${"1".repeat(16)}`,
  "<group>/..",
  "\u00e9",
];

export const VALUES = [
  ..."0 -1 1 200 201 2147483647 2147483648 -2147483649 9223372036854775808 1e3 1.0 1.5 NaN".split(
    " ",
  ),
  ..."Infinity 0x10 +1 true null [] {} name name+desc name,uid uid%09desc NAME ==== * a,b".split(
    " ",
  ),
  "created_at%20asc%20desc",
  "<page token>",
  "<page token>A",
  "A<page token>",
  "AAAA".repeat(40),
  "claim_match.issuer",
  "name.x",
  "__proto__.x",
  ...NASTY,
];

export const PARAMETERS = [
  ..."page_size pageSize page_token order_by skip name uidp uidp.descendants_of uidp.childrenOf".split(
    " ",
  ),
  ..."uidp.ancestors_of uidp.in_root uidp.ids uidp.ids uidp.ids.0 uidp.__proto__ __proto__".split(
    " ",
  ),
  ..."__proto__.x constructor.prototype.x toString relationship_type identity role group".split(
    " ",
  ),
  ..."updateMask update_mask updateMask parent role.uid role_binding.role_uid issuer subject".split(
    " ",
  ),
  ..."%00 % a[]".split(" "),
  "",
];

export const FIELDS = [
  ..."name description uid company capabilities claimMatch claim_match staticKeys awsIdentity".split(
    " ",
  ),
  ..."servicePrincipal identityUid roleUid parent requests resourceLimits verified kind".split(" "),
  ..."createTime __proto__ constructor issuer issuerPattern subject subjectPattern claims".split(
    " ",
  ),
  ..."claimPatterns issuerKeys expirationTime audiences awsAccount arn userId email role".split(
    " ",
  ),
];

const CLAIM = { issuer: "https://issuer.example.com", subject: "someone" };

/** Calls as they should be: method, path, and body. */
export const CALLS: readonly (readonly [
  method: string,
  path: string,
  body?: Record<string, unknown>,
])[] = [
  ...["groups", "identities", "roles", "roleBindings", "groups"].map(
    (kind) => ["GET", kind] as const,
  ),
  ["GET", "groups/<group>"],
  ["GET", "identities/<identity>"],
  ["GET", "roles/<role>"],
  ["GET", "roleBindings/<binding>"],
  ["GET", "identities:lookupIdentity"],
  ["POST", "groups", { name: "a", description: "b" }],
  ["POST", "groups/<group>", { name: "a" }],
  [
    "POST",
    "identities/<group>",
    { name: "a", company: "c", claimMatch: { ...CLAIM, claims: { a: "b" } } },
  ],
  [
    "POST",
    "identities/<group>",
    { name: "a", staticKeys: { ...CLAIM, issuerKeys: '{"keys":[{"kty":"EC"}]}' } },
  ],
  [
    "POST",
    "identities/<group>",
    { name: "a", awsIdentity: { awsAccount: "0".repeat(12), arn: "a", userId: "b" } },
  ],
  ["POST", "roles/<group>", { name: "a", capabilities: ["CAP_REPO_LIST", "groups.list"] }],
  ["POST", "roleBindings/<group>", { identityUid: "<identity>", roleUid: "<role>" }],
  [
    "POST",
    "roleBindings:batchCreate",
    {
      parent: "<group>",
      roleUid: "<role>",
      requests: [{ roleBinding: { identityUid: "<identity>" } }],
    },
  ],
  ["PATCH", "groups/<group>", { name: "a", description: "b" }],
  ["PATCH", "identities/<identity>", { name: "a", claimMatch: CLAIM }],
  ["PATCH", "roles/<role>", { name: "a", capabilities: ["CAP_REPO_LIST"] }],
  ["PATCH", "roleBindings/<binding>", { identityUid: "<identity>", roleUid: "<role>" }],
  ["DELETE", "groups/<group>"],
  ["DELETE", "roles/<role>"],
];

export const WHOLE_BODIES: readonly (string | Buffer)[] = [
  "",
  "{",
  "null",
  "[]",
  '"text"',
  "\ufeff{}",
  '{"name":1e400}',
  '{"name":"a","name":"b"}',
  '{"__proto__":{"name":"a"}}',
  '{"name":"a","claimMatch":{"issuer":"https://a.b","subject":"s","claims":{"__proto__":"a"}}}',
  '{"name":"\\ud800"}',
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from('{"name":"\xc3\x28"}', "latin1"),
  `${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `${'{"claimMatch":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  `{"requests":[${'{"roleBinding":{}},'.repeat(2_000)}{}]}`,
  `{"capabilities":[${"103,".repeat(20_000)}103]}`,
  gzipSync("{}"),
];

export const HEADERS = [
  "Content-Type: application/json; charset=utf-16",
  "Content-Type: text/plain",
  "Content-Type: multipart/form-data",
  "Content-Type: \u00ff",
  "Content-Type: application/grpc",
  "Content-Encoding: gzip",
  "Content-Encoding: br",
  "Accept-Encoding: gzip;q=0, *",
  "Accept: text/html",
  "Expect: 100-continue",
  `X-Request-Id: ${"x".repeat(500)}`,
  "X-HTTP-Method-Override: DELETE",
  "Origin: null",
  "Range: bytes=0-1",
  `X-Long: ${"y".repeat(8_000)}`,
];

export const AUTHORIZATIONS = [
  "Bearer",
  "Bearer ",
  "Basic YTpi",
  "bearer x",
  "Bearer <token>x",
  "Bearer <token> <token>",
  "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.",
  "Bearer a.b.c",
  "Bearer \u00ff\u00fe",
  `Bearer ${"z".repeat(7_000)}`,
];
