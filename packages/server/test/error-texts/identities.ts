import { type ErrorText, invalid } from "./table.ts";

const ISSUER = "https://issuer.example.com";
const CLAIMS = { issuer: ISSUER, subject: "me" };
const PUBLIC_KEY = { kty: "EC", crv: "P-256", x: "AAAA", y: "BBBB", kid: "one" };
const KEYS = { ...CLAIMS, issuerKeys: JSON.stringify({ keys: [PUBLIC_KEY] }) };
const AWS = { awsAccount: "123456789012", arn: "arn:aws:iam::123456789012:role/x", userId: "AROA" };
const YEAR_MS = 365 * 24 * 3_600_000;

/** Creates an identity with such a relationship. */
const related =
  (relationship: object): ErrorText[1] =>
  ({ api, org }) =>
    api.identities.create(org, { name: "x", ...relationship });
const claims = (more: object) => related({ claimMatch: { ...CLAIMS, ...more } });
const keys = (more: object) => related({ staticKeys: { ...KEYS, ...more } });
const aws = (more: object) => related({ awsIdentity: { ...AWS, ...more } });
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

/** Errors of identities. */
export const IDENTITIES: readonly ErrorText[] = [
  [
    "no relationship is given",
    related({}),
    invalid({
      claimMatch: "one of claimMatch, staticKeys, awsIdentity, servicePrincipal is required",
    }),
  ],
  [
    "no issuer is given",
    related({ claimMatch: { subject: "me" } }),
    invalid({ "claimMatch.issuer": "one of issuer, issuerPattern is required" }),
  ],
  [
    "no subject is given",
    related({ claimMatch: { issuer: ISSUER } }),
    invalid({ "claimMatch.subject": "one of subject, subjectPattern is required" }),
  ],
  [
    "an issuer is not a URL",
    claims({ issuer: "issuer" }),
    invalid({
      "claimMatch.issuer":
        "issuer must be an issuer URL without query, fragment, user info or dot segments, such as https://issuer.example.com",
    }),
  ],
  [
    "a subject is empty",
    claims({ subject: " " }),
    invalid({ "claimMatch.subject": "subject is required" }),
  ],
  [
    "an audience is empty",
    claims({ audience: "" }),
    invalid({ "claimMatch.audience": "audience is required" }),
  ],
  [
    "an issuer pattern is empty",
    related({ claimMatch: { issuerPattern: "", subject: "me" } }),
    invalid({ "claimMatch.issuerPattern": "issuerPattern is required" }),
  ],
  [
    "a pattern is invalid",
    related({ claimMatch: { issuer: ISSUER, subjectPattern: "(" } }),
    invalid({
      "claimMatch.subjectPattern":
        "subjectPattern is not a valid RE2 expression: error parsing regexp: missing closing ): `^(?:()$`",
    }),
  ],
  [
    "a pattern has a back reference",
    related({ claimMatch: { issuer: ISSUER, subjectPattern: "(a)\\1" } }),
    invalid({
      "claimMatch.subjectPattern":
        "subjectPattern is not a valid RE2 expression: error parsing regexp: invalid escape sequence: `\\1`",
    }),
  ],
  [
    "a pattern is too long",
    claims({ audiencePattern: "x".repeat(2_049) }),
    invalid({ "claimMatch.audiencePattern": "audiencePattern must have at most 2048 characters" }),
  ],
  [
    "a pattern of a claim is invalid",
    claims({ claimPatterns: { team: "[" } }),
    invalid({
      "claimMatch.claimPatterns.team":
        "team is not a valid RE2 expression: error parsing regexp: missing closing ]: `[)$`",
    }),
  ],
  [
    "a pattern has too many large classes",
    related({ claimMatch: { issuer: ISSUER, subjectPattern: "[\\p{L}\\p{N}]".repeat(50) } }),
    invalid({ "claimMatch.subjectPattern": "subjectPattern has too many large character classes" }),
  ],
  [
    "a claim has no name",
    claims({ claims: { "": "x" } }),
    invalid({ "claimMatch.claims": "claims must have names" }),
  ],
  [
    "static keys have no issuer",
    keys({ issuer: "" }),
    invalid({ "staticKeys.issuer": "issuer is required" }),
  ],
  [
    "static keys have no subject",
    keys({ subject: "" }),
    invalid({ "staticKeys.subject": "subject is required" }),
  ],
  [
    "static keys are missing",
    keys({ issuerKeys: "" }),
    invalid({ "staticKeys.issuerKeys": "issuerKeys is required" }),
  ],
  [
    "static keys are not JSON",
    keys({ issuerKeys: "{" }),
    invalid({ "staticKeys.issuerKeys": "issuerKeys must be a JSON Web Key Set" }),
  ],
  [
    "static keys are empty",
    keys({ issuerKeys: '{"keys":[]}' }),
    invalid({ "staticKeys.issuerKeys": "issuerKeys must hold at least one key" }),
  ],
  [
    "a static key has no type",
    keys({ issuerKeys: '{"keys":[1]}' }),
    invalid({ "staticKeys.issuerKeys": "issuerKeys must hold keys with a kty" }),
  ],
  [
    "a static key is private",
    keys({ issuerKeys: JSON.stringify({ keys: [{ ...PUBLIC_KEY, d: "AAAA" }] }) }),
    invalid({ "staticKeys.issuerKeys": "issuerKeys must hold public keys only" }),
  ],
  [
    "static keys have two audiences",
    keys({ audiences: ["a", "b"] }),
    invalid({ "staticKeys.audiences": "audiences must have at most 1 entries" }),
  ],
  [
    "static keys have an empty audience",
    keys({ audiences: [""] }),
    invalid({ "staticKeys.audiences": "audiences must not be empty" }),
  ],
  [
    "static keys expire too late",
    (ground) => keys({ expirationTime: inMs(YEAR_MS + 60_000) })(ground),
    invalid({ "staticKeys.expirationTime": "expirationTime must be within 365 days" }),
  ],
  [
    "static keys have expired",
    (ground) => keys({ expirationTime: inMs(-1) })(ground),
    invalid({ "staticKeys.expirationTime": "expirationTime must be in the future" }),
  ],
  [
    "an AWS account is malformed",
    aws({ awsAccount: "12" }),
    invalid({ "awsIdentity.awsAccount": 'awsAccount must match "^[0-9]{12}$"' }),
  ],
  [
    "no ARN is given",
    aws({ arn: undefined }),
    invalid({ "awsIdentity.arn": "one of arn, arnPattern is required" }),
  ],
  [
    "no AWS user id is given",
    aws({ userId: undefined }),
    invalid({ "awsIdentity.userId": "one of userId, userIdPattern is required" }),
  ],
  [
    "a service principal is unknown",
    related({ servicePrincipal: 99 }),
    invalid({ servicePrincipal: "servicePrincipal must be one of the known services" }),
  ],
  [
    "an identity has no name",
    ({ api, org }) => api.identities.create(org, { claimMatch: CLAIMS }),
    invalid({ name: 'name must match "^[a-z0-9 ._-]{1,}$"' }),
  ],
  [
    "a mask has an unknown nested path",
    async ({ api, org }) => {
      const { uid } = await api.identities.create(org, { name: "x", claimMatch: CLAIMS });
      await api.identities.update(uid, { claimMatch: CLAIMS }, ["claim_match.color"]);
    },
    invalid({ updateMask: '"claim_match.color" is not a field of Identity' }),
  ],
  [
    "a lookup has no subject",
    ({ api }) => api.identities.lookupIdentity({ issuer: ISSUER }),
    invalid({ subject: "subject is required" }),
  ],
];
