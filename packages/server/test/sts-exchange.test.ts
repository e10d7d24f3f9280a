import assert from "node:assert/strict";
import { after, before, describe, mock, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { ApiClient } from "./support/client/api-client.ts";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";

const MAIN = "repo:acme/app:ref:refs/heads/main";
const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT = "urn:ietf:params:oauth:token-type:jwt";

for (const store of STORES) {
  describe(`token exchange on ${store}`, () => {
    let server: TestServer;
    let issuer: StandInIssuer;
    let operator: Http;
    let org: string;
    let folder: string;
    let ci: string;
    const post = async (path: string, body: object) => {
      const { status, body: made } = await operator.post(`/iam/v2beta1/${path}`, body);
      assert.equal(status, 200, JSON.stringify(made));
      return made;
    };
    const bind = async (group: string, identity: string, role: string) => {
      const { body } = await operator.get(`/iam/v2beta1/roles?name=${role}`);
      await post(`roleBindings/${group}`, { identityUid: identity, roleUid: body.roles[0].uid });
    };
    before(async () => {
      issuer = await StandInIssuer.start();
      server = await TestServer.start({
        store,
        flags: ["--registry-host", "registry.test", "--audiences", "https://other.test"],
      });
      operator = new Http(server.url, await server.token());
      org = (await post("groups", { name: "acme" })).uid;
      folder = (await post(`groups/${org}`, { name: "folder" })).uid;
      const claimMatch = { issuer: issuer.url, subject: MAIN };
      ci = (await post(`identities/${org}`, { name: "ci", claimMatch })).uid;
      await bind(org, ci, "viewer");
    });
    after(async () => {
      await issuer.stop();
      await server.stop();
    });
    const upstream = () => issuer.sign({ sub: MAIN });

    test("a workload gets a token of the identity that trusts it, for an hour", async () => {
      const made = await exchange(server.url, await upstream(), { aud: server.url, identity: ci });
      assert.equal(made.status, 200, made.message);
      assert.equal(made.claims.sub, ci);
      assert.equal(made.claims.aud, server.url);
      assert.equal(made.claims.iss, server.url);
      assert.equal((made.claims.exp as number) - (made.claims.iat as number), 3_600);
      assert.deepEqual(made.claims.act, { iss: issuer.url, sub: MAIN, aud: "127.0.0.1" });
      assert.ok(made.claims.jti);
      const { body } = await new Http(server.url, made.token).get("/iam/v2beta1/groups");
      assert.equal(body.totalCount, "2");
    });

    test("events name the exchanged token of their actor", async () => {
      await bind(folder, ci, "owner");
      const made = await exchange(server.url, await upstream(), { aud: server.url, identity: ci });
      const workload = new ApiClient({ url: server.url, token: made.token });
      const { uid } = await workload.groups.create(folder, { name: "by a workload" });
      const all = new ApiClient({ url: server.url, token: await server.token() });
      const own = (await all.events.list({ group: uid, subject: uid })).events;
      assert.deepEqual(own[0].data.actor, {
        subject: ci,
        act: { aud: "127.0.0.1", iss: issuer.url, sub: MAIN },
      });
      const { events } = await all.events.list({ group: folder, subject: folder });
      assert.equal(events[0].data.actor.act, undefined, "the operator has exchanged nothing");
      await all.groups.delete(uid);
    });

    test("form encoding and RFC 8693 parameter names are accepted", async () => {
      const token = await upstream();
      const form = await fetch(`${server.url}/sts/exchange`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams({ aud: server.url, identity: ci }),
      });
      assert.equal(form.status, 200);
      assert.ok(((await form.json()) as { token: string }).token);
      const oauth = await fetch(`${server.url}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: GRANT,
          subject_token: token,
          subject_token_type: JWT,
          audience: server.url,
          identity: ci,
        }),
      });
      const answer = (await oauth.json()) as Record<string, unknown>;
      assert.equal(oauth.status, 200);
      assert.equal(answer.token_type, "Bearer");
      assert.equal(answer.issued_token_type, JWT);
      assert.ok(Number(answer.expires_in) > 3_500);
      const { status } = await new Http(server.url, String(answer.access_token)).get(
        "/iam/v2beta1/groups",
      );
      assert.equal(status, 200);
    });

    test("gRPC is accepted, under our package name and the public one", async () => {
      for (const naming of ["own", "public"] as const) {
        const over = {
          url: server.url,
          token: await upstream(),
          protocol: "gRPC",
          naming,
        } as const;
        const { token: made } = await new ApiClient(over).securityToken.exchange({
          aud: [server.url],
          identity: ci,
        });
        const { status } = await new Http(server.url, made).get("/iam/v2beta1/groups");
        assert.equal(status, 200, naming);
      }
    });

    test("a bearer that is no token is UNAUTHENTICATED, whatever it is presented for", async () => {
      const provider = `${"0".repeat(40)}/0123456789abcdef`;
      for (const token of ["nonsense", "a.b.c", "a.b", Buffer.from("GET /").toString("base64url")])
        for (const parameters of [
          {},
          { identity: ci },
          { identity: "f".repeat(40) },
          { identity_provider: provider },
          { aud: "https://elsewhere.example" },
        ]) {
          const answer = await exchange(server.url, token, { aud: server.url, ...parameters });
          assert.deepEqual(
            [answer.status, answer.message],
            [401, "Unauthenticated: the token is malformed"],
            `${token} ${JSON.stringify(parameters)}`,
          );
        }
    });

    test("OAuth errors have OAuth codes", async () => {
      const ask = async (fields: Record<string, string>) => {
        const body = new URLSearchParams(fields);
        const response = await fetch(`${server.url}/oauth/token`, { method: "POST", body });
        return [response.status, ((await response.json()) as { error: string }).error];
      };
      const common = {
        grant_type: GRANT,
        subject_token_type: JWT,
        audience: server.url,
        identity: ci,
      };
      assert.deepEqual(await ask({ grant_type: "password" }), [400, "unsupported_grant_type"]);
      assert.deepEqual(await ask(common), [400, "invalid_request"]);
      const wrong = await issuer.sign({ sub: "somebody else" });
      assert.deepEqual(await ask({ ...common, subject_token: wrong }), [400, "invalid_grant"]);
    });

    test("several audiences yield one token; foreign audiences are rejected", async () => {
      const aud = [server.url, "registry.test"];
      const made = await exchange(server.url, await upstream(), { aud, identity: ci });
      assert.deepEqual(made.claims.aud, aud);
      const forOthers = { aud: "https://elsewhere.example", identity: ci };
      assert.equal((await exchange(server.url, await upstream(), forOthers)).code, 3);
      const none = await exchange(server.url, await upstream(), { identity: ci });
      assert.equal(none.code, 3);
    });

    test("a token for the registry is rejected by the API", async () => {
      const made = await exchange(server.url, await upstream(), {
        aud: "registry.test",
        identity: ci,
      });
      assert.equal(made.status, 200);
      assert.equal((await new Http(server.url, made.token).get("/iam/v2beta1/groups")).status, 401);
    });

    test("the registry or another service cannot exchange it for an API token", async () => {
      const trusting = { issuer: server.url, subject: ci };
      const next = await post(`identities/${org}`, { name: "next", claimMatch: trusting });
      const namesOther = { ...trusting, audience: "https://other.test" };
      const named = await post(`identities/${org}`, { name: "named", claimMatch: namesOther });
      const invite = { roleUid: builtinRole("viewer")?.uid, ttl: "600s" };
      const { code } = await post(`groupInvites/${folder}`, invite);
      for (const aud of ["registry.test", "https://other.test"]) {
        const made = await exchange(server.url, await upstream(), { aud, identity: ci });
        assert.equal(made.status, 200, made.message);
        for (const identity of ["", next.uid, named.uid]) {
          for (const wanted of [server.url, "registry.test", [aud, server.url]]) {
            if (identity === "" && wanted === aud) continue;
            const again = await exchange(server.url, made.token, { aud: wanted, identity });
            assert.equal(again.status, 403, `${aud} ${identity} ${wanted}`);
            assert.match(again.message, /invalid "aud"/);
            assert.equal(again.token, "");
          }
        }
        const narrower = await exchange(server.url, made.token, { aud, cap: "groups.list" });
        assert.equal(narrower.claims.aud, aud, "for the same it may be made to do less");
        assert.ok(narrower.claims.cap);
        const holder = new Http(server.url, made.token);
        const joined = await holder.post("/auth/v1/register", { code });
        assert.equal(joined.status, 403, JSON.stringify(joined.body));
        assert.match(joined.body.message, /invalid "aud"/);
      }
    });

    test("scopes and capabilities down-scope a token", async () => {
      const token = await upstream();
      const narrowed = await exchange(server.url, token, {
        aud: server.url,
        identity: ci,
        scopes: folder,
      });
      const inFolder = new Http(server.url, narrowed.token);
      const { body } = await inFolder.get("/iam/v2beta1/groups");
      assert.deepEqual(
        body.groups.map((group: { uid: string }) => group.uid),
        [folder],
      );
      assert.equal((await inFolder.get(`/iam/v2beta1/groups/${org}`)).status, 403);

      const capped = await exchange(server.url, token, {
        aud: server.url,
        identity: ci,
        cap: "groups.list",
      });
      const groupsOnly = new Http(server.url, capped.token);
      assert.equal((await groupsOnly.get("/iam/v2beta1/groups")).body.totalCount, "2");
      assert.equal((await groupsOnly.get("/iam/v2beta1/identities")).body.totalCount, "0");
      const unknown = await exchange(server.url, token, {
        aud: server.url,
        identity: ci,
        cap: "groups.fly",
      });
      assert.equal(unknown.code, 3);
    });

    test("exchanging a down-scoped token keeps its boundary and expiry", async () => {
      const first = await exchange(server.url, await upstream(), {
        aud: server.url,
        identity: ci,
        scopes: folder,
      });
      const second = await exchange(server.url, first.token, { aud: server.url });
      assert.equal(second.status, 200, second.message);
      assert.equal(second.claims.sub, ci);
      assert.ok((second.claims.exp as number) <= (first.claims.exp as number));
      const wider = await exchange(server.url, first.token, { aud: server.url, scopes: org });
      assert.equal(wider.code, 3, wider.message);
      const { body } = await new Http(server.url, second.token).get("/iam/v2beta1/groups");
      assert.equal(body.totalCount, "1");
    });

    test("a token expires no later than the static keys of its identity", async () => {
      const expires = new Date(Date.now() + 600_000);
      const staticKeys = {
        issuer: "https://unreachable.example",
        subject: "robot",
        issuerKeys: JSON.stringify(issuer.jwks),
        expirationTime: expires.toISOString(),
      };
      const { uid } = await post(`identities/${org}`, { name: "static", staticKeys });
      const token = await issuer.sign({ iss: "https://unreachable.example", sub: "robot" });
      const made = await exchange(server.url, token, { aud: server.url, identity: uid });
      assert.equal(made.status, 200, made.message);
      assert.ok((made.claims.exp as number) * 1000 <= expires.getTime());

      const trusting = { issuer: server.url, subjectPattern: ".*" };
      const next = await post(`identities/${org}`, { name: "goes on", claimMatch: trusting });
      const identity = next.uid;
      const other = await exchange(server.url, made.token, { aud: server.url, identity });
      assert.equal(other.claims.sub, next.uid, other.message);
      assert.equal(other.claims.exp, made.claims.exp, "as another identity");
      const again = await exchange(server.url, other.token, { aud: server.url, identity });
      assert.equal(again.claims.exp, made.claims.exp, "as the same identity again");
    });

    test("static keys authenticate until they expire", async () => {
      const expires = Math.ceil(Date.now() / 1000) * 1000 + 600_000;
      const staticKeys = {
        issuer: "https://unreachable.example",
        subject: "robot",
        issuerKeys: JSON.stringify(issuer.jwks),
        expirationTime: new Date(expires).toISOString(),
      };
      const { uid } = await post(`identities/${org}`, { name: "expiring", staticKeys });
      const at = async (now: number) => {
        mock.timers.enable({ apis: ["Date"], now });
        try {
          const token = await issuer.sign({ iss: "https://unreachable.example", sub: "robot" });
          return await exchange(server.url, token, { aud: server.url, identity: uid });
        } finally {
          mock.timers.reset();
        }
      };
      assert.equal((await at(expires - 1)).status, 200);
      const late = await at(expires);
      assert.deepEqual([late.status, late.code, late.token], [403, 7, ""], late.message);
    });

    test("an exchange updates lastSeenTime, to the minute", async () => {
      const claimMatch = { issuer: issuer.url, subject: "seen" };
      const { uid, createTime } = await post(`identities/${org}`, { name: "seen", claimMatch });
      const seen = async () => {
        const token = await issuer.sign({ sub: "seen" });
        assert.equal(
          (await exchange(server.url, token, { aud: server.url, identity: uid })).status,
          200,
        );
        return (await operator.get(`/iam/v2beta1/identities/${uid}`)).body.lastSeenTime;
      };
      const first = await seen();
      assert.ok(first > createTime, "the first is always noted");
      assert.equal(await seen(), first);
    });
  });
}
