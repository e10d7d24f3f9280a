import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createWharf, type TokenSource, type Wharf } from "@wharf/client";
import { tokens } from "@wharf/client/node";
import { builtinRole } from "@wharf/contract";
import { decodeJwt } from "jose";
import { StandInIssuer } from "../../server/test/support/providers/issuer.ts";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { setVariables } from "./support/environment.ts";
import { StandInGithub } from "./support/github.ts";

const SUBJECT = "repo:acme/app:ref:refs/heads/main";

// The tests may themselves be a job on one of the platforms.
for (const name of ["ACTIONS_ID_TOKEN_REQUEST_URL", "GITLAB_CI", "WHARF_ID_TOKEN"]) {
  delete process.env[name];
}

let server: TestServer;
let issuer: StandInIssuer;
let github: StandInGithub;
let folder: string;
let operator: Wharf;
let org: string;
let identity: string;
before(async () => {
  server = await TestServer.start();
  issuer = await StandInIssuer.start();
  github = await StandInGithub.start(issuer, { sub: SUBJECT });
  folder = scratchFolder("wharf-client-");
  operator = createWharf({ baseUrl: server.url, token: await server.token() });
  org = (await operator.groups.create({ group: { name: "acme" } })).uid;
  const iss = { case: "issuer", value: issuer.url } as const;
  const sub = { case: "subject", value: SUBJECT } as const;
  const relationship = { case: "claimMatch", value: { iss, sub } } as const;
  const made = await operator.identities.create({
    parent: org,
    identity: { name: "ci", relationship },
  });
  identity = made.uid;
  const roleUid = builtinRole("viewer")?.uid as string;
  await operator.roleBindings.create({
    parent: org,
    roleBinding: { identityUid: identity, roleUid },
  });
});
after(async () => {
  await server.stop();
  await issuer.stop();
  await github.stop();
  rmSync(folder, { recursive: true });
});

const jobToken = () => issuer.sign({ sub: SUBJECT });

/** Goes the whole way: the platform's token, the exchange, a call. */
async function worksFrom(from: TokenSource, more: object = {}): Promise<void> {
  const token = tokens.exchange({ authUrl: server.url, identity, from, ...more });
  const wharf = createWharf({ baseUrl: server.url, token });
  const me = await wharf.auth.validate();
  assert.equal(me.subject, identity);
  assert.deepEqual(me.audience, [server.url]);
  assert.equal((await wharf.groups.get({ uid: org })).name, "acme");
}

test("GitHub Actions", async (t) => {
  setVariables(t, github.variables);
  await worksFrom(tokens.githubActions());
  assert.deepEqual(github.asked, ["/token?api-version=2.0&audience=127.0.0.1"]);
  const { token } = await tokens.githubActions({ audience: "https://other.example" }).get({});
  assert.equal(decodeJwt(token).aud, "https://other.example");
});

test("GitHub Actions says what is wrong", async (t) => {
  const { get } = tokens.githubActions();
  await assert.rejects(get({}), /permissions: id-token: write/);
  setVariables(t, { ...github.variables, ACTIONS_ID_TOKEN_REQUEST_TOKEN: "wrong" });
  await assert.rejects(get({}), {
    code: "UNAUTHENTICATED",
    message: "Unauthenticated: no token: GitHub responded with 401",
  });
});

test("GitLab", async (t) => {
  await assert.rejects(tokens.gitlab().get({}), /WHARF_ID_TOKEN is empty/);
  setVariables(t, { WHARF_ID_TOKEN: await jobToken(), OTHER: await jobToken() });
  await worksFrom(tokens.gitlab());
  await worksFrom(tokens.gitlab({ variable: "OTHER" }));
});

test("Kubernetes, whose tokens are replaced in place", async () => {
  const path = join(folder, "projected");
  await assert.rejects(tokens.kubernetes({ path }).get({}), /cannot be read \(ENOENT\)/);
  const source = tokens.kubernetes({ path });
  writeFileSync(path, `${await jobToken()}\n`);
  await worksFrom(source);
  const next = await issuer.sign({ sub: SUBJECT, jti: "next" });
  writeFileSync(path, next);
  assert.equal((await source.get({})).token, next);
  writeFileSync(path, " \n");
  await assert.rejects(source.get({}), { code: "UNAUTHENTICATED" });
});

test("any command", async () => {
  const runs = join(folder, "runs");
  const script = `require("fs").appendFileSync(process.argv[1], "x"); console.log(process.argv[2])`;
  const token = await jobToken();
  const source = tokens.command([process.execPath, "-e", script, runs, token]);
  await worksFrom(source);
  await worksFrom(source);
  const { readFileSync } = await import("node:fs");
  // The token ends in five minutes, so it is used twice.
  assert.equal(readFileSync(runs, "utf8"), "x");
});

test("a command gets its arguments unchanged, and its errors are reported", async () => {
  const odd = "$(id) `id` ; exit 3 & \"'";
  const echo = "process.stdout.write(process.argv[1])";
  assert.equal((await tokens.command([process.execPath, "-e", echo, odd]).get({})).token, odd);
  const fail = `console.log("half"); console.error("first"); console.error("last"); process.exit(3)`;
  await assert.rejects(tokens.command([process.execPath, "-e", fail]).get({}), (error: Error) => {
    assert.match(error.message, /ends with 3: last$/);
    assert.ok(!error.message.includes("half"));
    return true;
  });
  const missing = tokens.command([join(folder, "no-such-program")]);
  await assert.rejects(missing.get({}), /fails: ENOENT/);
  await assert.rejects(tokens.command([process.execPath, "-e", ""]).get({}), /has no output/);
});

test("the platform is found by what it sets", async (t) => {
  assert.equal(tokens.ambient(), undefined);
  setVariables(t, { GITLAB_CI: "true" });
  assert.equal(tokens.ambient(), undefined);
  const token = await jobToken();
  setVariables(t, { WHARF_ID_TOKEN: token });
  assert.equal((await tokens.ambient()?.get({}))?.token, token);
  setVariables(t, github.variables);
  const found = tokens.ambient();
  assert.ok(found);
  await worksFrom(found);
});

test("what is asked for can be less than what is held", async () => {
  const from = tokens.fixed(await jobToken());
  const token = tokens.exchange({
    authUrl: server.url,
    identity,
    from,
    capabilities: ["repo.list"],
  });
  const wharf = createWharf({ baseUrl: server.url, token });
  await assert.rejects(wharf.groups.get({ uid: org }), { code: "PERMISSION_DENIED" });
  const narrowed = createWharf({
    baseUrl: server.url,
    token: tokens.exchange({ authUrl: server.url, identity, from, scopes: [org] }),
  });
  assert.equal((await narrowed.groups.get({ uid: org })).name, "acme");
});

test("a rejected exchange has a reason", async () => {
  const from = tokens.fixed(await issuer.sign({ sub: "somebody else" }));
  const token = tokens.exchange({ authUrl: server.url, identity, from });
  const wharf = createWharf({ baseUrl: server.url, token });
  await assert.rejects(wharf.groups.list(), {
    code: "PERMISSION_DENIED",
    message: /invalid "sub"/,
  });
});
