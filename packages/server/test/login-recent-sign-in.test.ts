import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { decodeJwt } from "jose";
import { ageSessions, ConsoleBrowser } from "./support/browser/console-browser.ts";
import { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { type Answer, Http } from "./support/client/http.ts";
import { askForToken, exchange } from "./support/client/tokens.ts";
import { onEachStore, roleNamed, type World } from "./support/world/world.ts";

const IAM = "/iam/v2beta1";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const CHALLENGE = /error="insufficient_user_authentication", .*max_age="900"/;

function needsSignIn({ status, body, headers }: Answer): boolean {
  if (status !== 401) return false;
  assert.equal(body.details[0].reason, "RECENT_SIGN_IN_REQUIRED");
  assert.match(headers.get("www-authenticate") ?? "", CHALLENGE);
  return true;
}

function suite(world: World): void {
  let browser: ConsoleBrowser;
  let organization: string;
  /** An identity that trusts ada, and owns the organization, too. */
  let assumed: string;
  before(async () => {
    const { body } = await world.http.get(`${IAM}/groups?name=acme`);
    organization = body.groups[0].uid;
    browser = new ConsoleBrowser(world);
    await browser.signIn();
    const subject = (await browser.claims()).sub;
    const claimMatch = { issuer: world.server.baseUrl, subject };
    ({ uid: assumed } = await world.post(`identities/${organization}`, {
      name: "assumed",
      claimMatch,
    }));
    await world.bind(organization, assumed, "owner");
    await ageSessions(world, 16);
  });

  const asToken = (token: string) => new Http(world.server.url, token);
  const folder = () => world.group(organization);
  const url = () => world.server.url;

  /** Every way to get a token for the API from one of the session. */
  const derived: Readonly<Record<string, (token: string) => Promise<string>>> = {
    "the token itself": async (token) => token,
    "an exchange": async (token) => (await exchange(url(), token, { aud: url() })).token,
    "an exchange at the token endpoint": async (subject_token) => {
      const subject_token_type = "urn:ietf:params:oauth:token-type:access_token";
      const form = { subject_token, subject_token_type, audience: url() };
      return (await askForToken(url(), { grant_type: EXCHANGE, ...form })).access_token;
    },
    "two exchanges": async (token) => {
      const first = await exchange(url(), token, { aud: url() });
      return (await exchange(url(), first.token, { aud: url() })).token;
    },
    "a down-scoped token": async (token) => {
      const cap = ["groups.delete", "groups.list"];
      return (await exchange(url(), token, { aud: url(), scope: organization, cap })).token;
    },
    "an assumed identity": async (token) =>
      (await exchange(url(), token, { aud: url(), identity: assumed })).token,
    "an assumed identity, exchanged again": async (token) => {
      const first = await exchange(url(), token, { aud: url(), identity: assumed });
      return (await exchange(url(), first.token, { aud: url() })).token;
    },
  };

  for (const [name, derive] of Object.entries(derived)) {
    test(`${name} of an old session does not delete a group`, async () => {
      const uid = await folder();
      const token = await derive(await browser.token());
      const { auth_time: time = 0, sid } = decodeJwt(token) as { auth_time?: number; sid?: string };
      assert.ok(Date.now() / 1000 - time > 15 * 60, `auth_time ${time}`);
      assert.equal(sid, (await browser.claims()).sid);
      assert.ok(needsSignIn(await asToken(token).delete(`${IAM}/groups/${uid}`)));
      assert.ok(needsSignIn(await asToken(token).delete(`/iam/v1/groups/${uid}`)));
      const api = new ApiClient({ protocol: "gRPC", url: world.server.url, token });
      assert.equal((await rejected(api.groups.delete(uid))).code, 16);
      assert.equal((await world.http.get(`${IAM}/groups/${uid}`)).status, 200);
    });
  }

  test("what outlasts a stolen session needs a recent sign-in, in both versions", async () => {
    const ci = await world.member();
    const role = await world.role(organization, ["groups.list"]);
    const binding = await world.bind(organization, ci.uid, "viewer");
    const own = await world.post(`identities/${organization}`, {
      name: "own",
      claimMatch: { issuer: "https://ci.example.com", subject: "one" },
    });
    const { body: subscription } = await world.http.post(
      `/events/v2beta1/subscriptions/${organization}`,
      { sink: "http://127.0.0.1:9/x" },
    );
    const [viewer, editor] = [roleNamed("viewer"), roleNamed("editor")];
    const claimMatch = { issuer: "https://evil.example.com", subject: "one" };
    const ttl = "3600s";
    const other = { identityUid: own.uid };
    const asked: [method: string, path: string, body: object][] = [
      ["POST", `${IAM}/roleBindings/${organization}`, { ...other, roleUid: editor }],
      ["POST", `/iam/v1/rolebindings/${organization}`, { identity: own.uid, role: editor }],
      [
        "POST",
        `${IAM}/roleBindings:batchCreate`,
        { parent: organization, roleUid: editor, requests: [{ roleBinding: other }] },
      ],
      ["PATCH", `${IAM}/roleBindings/${binding}`, { roleUid: editor }],
      ["POST", `${IAM}/groupInvites/${organization}`, { roleUid: editor, ttl }],
      ["POST", `/iam/v1/group_invites/${organization}`, { role: editor, ttl }],
      ["PATCH", `${IAM}/roles/${role}`, { capabilities: ["groups.list", "groups.create"] }],
      ["PATCH", `${IAM}/identities/${own.uid}`, { claimMatch }],
      ["PUT", `/iam/v1/identities/${own.uid}`, { name: "own", claimMatch }],
      ["POST", `/events/v2beta1/subscriptions/${subscription.uid}:rotateSecret`, {}],
    ];
    const free: [method: string, path: string, body: object][] = [
      ["POST", `${IAM}/roleBindings/${organization}`, { ...other, roleUid: viewer }],
      ["POST", `${IAM}/groupInvites/${organization}`, { roleUid: viewer, ttl }],
      ["PATCH", `${IAM}/roles/${role}`, { capabilities: ["groups.list", "roles.list"] }],
      ["PATCH", `${IAM}/identities/${own.uid}`, { description: "the same claims" }],
    ];
    const old = asToken(await browser.token());
    const dryRun = new Http(world.server.url, await browser.token(), { "wharf-dry-run": "true" });
    for (const [method, path, body] of asked) {
      assert.ok(needsSignIn(await old.send(method, path, body)), `${method} ${path}`);
      // Not even an attempt: it would say what would happen.
      const tried = await dryRun.send(method, path, body);
      assert.ok(tried.status !== 200, `${method} ${path}: ${JSON.stringify(tried.body)}`);
    }
    for (const [method, path, body] of free) {
      const { status, body: answer } = await old.send(method, path, body);
      assert.equal(status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
    }
    const renewed = new ConsoleBrowser(world);
    await renewed.signIn();
    const recent = asToken(await renewed.token());
    for (const [method, path, body] of asked) {
      const { status, body: answer } = await recent.send(method, path, body);
      // Version 1 and the batch repeat what version 2 has just done.
      assert.ok(status === 200 || status === 409, `${method} ${path}: ${JSON.stringify(answer)}`);
    }
  });

  test("people without the right are denied as before, whenever they signed in", async () => {
    const elsewhere = await world.organization();
    const answer = await asToken(await browser.token()).delete(`${IAM}/groups/${elsewhere}`);
    assert.equal(answer.status, 403);
  });

  test("a renewed session is not asked, and ends the old one", async () => {
    const old = await browser.token();
    const uid = await folder();
    await browser.signIn("ada", true);
    assert.equal((await asToken(old).delete(`${IAM}/groups/${uid}`)).status, 401);
    assert.equal((await asToken(await browser.token()).delete(`${IAM}/groups/${uid}`)).status, 200);
    await ageSessions(world, 16);
  });

  test("sessions of tools are not asked, however old", async () => {
    const { tokens } = await world.accounts.tryPassword("ada", "correct horse battery staple");
    await ageSessions(world, 60);
    const token = tokens?.access_token ?? "";
    assert.equal(decodeJwt(token).auth_time, undefined);
    assert.equal((await asToken(token).delete(`${IAM}/groups/${await folder()}`)).status, 200);
  });
}

describe("a recent sign-in in the browser", () => {
  onEachStore("of local accounts", suite, { owner: "acme" });
});
