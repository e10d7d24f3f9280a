/** The endpoints beside the contract, and what their forms usually hold. */

/** Values by the names of the fields of a form. */
export type Form = Readonly<Record<string, readonly string[]>>;

export const PLAIN_GETS: readonly string[] = [
  "/",
  "/healthz",
  "/readyz",
  "/version",
  "/metrics",
  "/.well-known/openid-configuration",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-protected-resource",
  "/oauth/userinfo",
  "/.well-known/jwks.json",
  "/.well-known/security.txt",
  "/openapi.json",
  "/registry/certs.pem",
  "/registry/jwks.json",
  "/login",
  "/login/style.css",
  "/login/passkey.js",
  "/setup",
  "/reset",
  "/device",
  "/account",
  "/favicon.ico",
  "/feeds/",
  "/scim/v2/",
  "/v2/",
  "/v2/token",
];

const CHALLENGE = "a".repeat(43);
const PASSWORDS = ["correct horse battery staple", "x"];
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const ANY_LOGIN = ["", "a.b", CHALLENGE];

/** Pages and OAuth endpoints that read a query or a form. */
export const FORM_PAGES: readonly {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly fields: Form;
}[] = [
  {
    method: "GET",
    path: "/oauth",
    fields: {
      response_type: ["code"],
      client_id: ["x"],
      redirect_uri: ["http://127.0.0.1:1/", "https://evil.invalid/"],
      redirect: ["http://localhost:1/cb"],
      code_challenge: [CHALLENGE, "x"],
      code_challenge_method: ["S256", "plain"],
      state: ["s"],
      idp_id: ["<own.provider>", "<victim.provider>", "own-org"],
      invite: ["<own.code>", "a.b.c"],
      audience: ["<own.url>", "registry.test,x"],
      scope: ["<own.group>", "openid email"],
      headless_code: [CHALLENGE],
      create_refresh_token: ["true"],
      skip_registration: ["true"],
    },
  },
  {
    method: "GET",
    path: "/oauth/callback",
    fields: { code: ["x"], state: ANY_LOGIN, iss: ["<own.issuer>"], error: ["access_denied"] },
  },
  { method: "GET", path: "/oauth/continue", fields: { login: ANY_LOGIN } },
  {
    method: "POST",
    path: "/oauth/provider",
    fields: { login: ANY_LOGIN, provider: ["<own.provider>", "own-org"] },
  },
  {
    method: "POST",
    path: "/oauth/accept",
    fields: { login: ANY_LOGIN, decision: ["accept", "decline"] },
  },
  { method: "POST", path: "/oauth/confirm", fields: { login: ANY_LOGIN, decision: ["yes"] } },
  {
    method: "POST",
    path: "/oauth/local",
    fields: { login: ANY_LOGIN, username: ["ada"], password: PASSWORDS },
  },
  {
    method: "POST",
    path: "/oauth/account",
    fields: { login: ANY_LOGIN, username: ["ada"], password: PASSWORDS, password_again: PASSWORDS },
  },
  {
    method: "POST",
    path: "/oauth/token",
    fields: {
      grant_type: [EXCHANGE, EXCHANGE, "authorization_code", "refresh_token", DEVICE, "password"],
      subject_token: ["<own.upstream>", "<own.token>", "a.b.c"],
      subject_token_type: ["urn:ietf:params:oauth:token-type:jwt"],
      requested_token_type: ["urn:ietf:params:oauth:token-type:jwt"],
      audience: ["<own.url>"],
      identity: ["<own.identity>", "<victim.identity>"],
      identity_provider: ["<own.provider>", "<victim.provider>"],
      scope: ["groups.list"],
      scopes: ["<own.group>", "<victim.group>"],
      code: ["x"],
      code_verifier: [CHALLENGE],
      redirect_uri: ["http://127.0.0.1:1/"],
      refresh_token: ["a.b.c", "<own.token>"],
      device_code: ["x"],
    },
  },
  {
    method: "POST",
    path: "/oauth/device_authorization",
    fields: { client_id: ["x"], audience: ["<own.url>"], scope: ["<own.group>"] },
  },
  { method: "GET", path: "/device", fields: { user_code: ["ABCD-EFGH", "x"] } },
  { method: "POST", path: "/device", fields: { user_code: ["ABCD-EFGH", "x"] } },
  {
    method: "POST",
    path: "/setup",
    fields: {
      code: ["ABCD-EFGH-IJKL-MNOP-QRST"],
      organization: ["acme"],
      username: ["ada"],
      password: PASSWORDS,
      password_again: PASSWORDS,
    },
  },
  {
    method: "POST",
    path: "/reset",
    fields: { code: ["ABCD-EFGH-IJKL-MNOP-QRST"], password: PASSWORDS, password_again: PASSWORDS },
  },
  { method: "GET", path: "/orgcheck", fields: { name: ["own-org", "victim-org", "x"] } },
];

const PASSKEY: Form = { login: ANY_LOGIN, code: ["x"], username: ["ada"], organization: ["acme"] };
const ANSWER: Form = { ...PASSKEY, challengeId: ["x"], response: ["x"], name: ["key"] };

const PASSWORD: Form = { current: PASSWORDS, password: PASSWORDS, again: PASSWORDS };
const OWN_PASSKEY: Form = { id: ["x"], name: ["key"] };

/** Endpoints for scripts of pages, which read JSON. */
export const JSON_ENDPOINTS: readonly { readonly path: string; readonly fields: Form }[] = [
  ...["/setup/passkey", "/reset/passkey", "/oauth/passkey", "/oauth/account/passkey"].flatMap(
    (path) => [
      { path: `${path}/options`, fields: PASSKEY },
      { path: `${path}/verify`, fields: ANSWER },
    ],
  ),
  { path: "/console/account/password", fields: PASSWORD },
  { path: "/console/account/passkeys/options", fields: {} },
  { path: "/console/account/passkeys/add", fields: ANSWER },
  { path: "/console/account/passkeys/rename", fields: OWN_PASSKEY },
  { path: "/console/account/passkeys/remove", fields: OWN_PASSKEY },
];

export const FEED_FILES: readonly string[] = [
  "osv/all.json",
  "osv/all.zip",
  "osv/all.tar.gz",
  "osv/modified_id.csv",
  "osv/CGA-2222-2222-2222.json",
  "osv/%00.json",
  "secdb/security.json",
  "secdb/x86_64/security.json",
  "openvex/all.json",
  "openvex/all.zip",
  "openvex/index.json",
  "openvex/vex-repository.json",
  "openvex/.well-known/vex-repository.json",
  "openvex/pkg/apk/openssl/vex.json",
  "openvex/pkg/apk/%2e%2e/vex.json",
  "csaf/provider-metadata.json",
  "csaf/index.txt",
  "csaf/changes.csv",
  "csaf/all.zip",
  "csaf/2026/apk-openssl.json",
  "csaf/2026/apk-openssl.json.sha256",
  "csaf/csaf-feed-tlp-white.json",
  "csaf/2026/..%2f.json",
  "nothing",
  "",
];

/** A notification of a registry. */
export const NOTIFICATION = {
  types: [
    "application/vnd.docker.distribution.events.v1+json",
    "application/vnd.docker.distribution.events.v2+json",
    "application/json",
    "application/cloudevents+json",
    "application/vnd.oci.image.manifest.v1+json",
  ],
  actions: ["push", "pull", "delete", "mount", "x"],
  paths: ["own-org/team/app", "own-org/other", "third-org/team/app", "x", "../../x"],
  digests: [`sha256:${"0".repeat(63)}1`, "", "sha256:x"],
  tags: ["latest", "", "1.0", ".."],
  times: ["2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "+275760-09-13T00:00:00.001Z", "x"],
} as const;
