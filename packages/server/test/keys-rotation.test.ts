import assert from "node:assert/strict";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { OPERATOR_UID } from "../src/auth/caller.ts";
import { RefreshTokens } from "../src/auth/refresh-token.ts";
import { signJwt } from "../src/auth/sign.ts";
import { Secrets } from "../src/secrets/secrets.ts";
import { Http } from "./support/client/http.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { type KeyMaterial, keyMaterialOf, privateKeyOf } from "./support/server/key-material.ts";
import { scratchFolder } from "./support/server/scratch-folder.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const HOST = "registry.example.com";
const ATTACHED = ["--registry-urls", `${HOST}=http://127.0.0.1:1`, "--reconcile-minutes", "0"];

interface SessionRow {
  readonly id: string;
  readonly generation: number;
}

/** The key material of a thief who copied the database and its secret key. */
interface Leak extends KeyMaterial {
  readonly session: SessionRow;
}

for (const store of STORES) {
  describe(`after a leak of the database and its secret key, on ${store}`, () => {
    const folder = scratchFolder("wharf-rotation-");
    const keyFile = join(folder, "secret.key");
    let world: World;
    /** All replicas: on SQLite there is one. */
    let replicas: TestServer[];
    let leak: Leak;
    let person: { access_token: string; refresh_token: string };
    let workload: string;
    let pageToken: string;

    before(async () => {
      writeFileSync(keyFile, randomBytes(32));
      const flags = ["--secret-key-file", keyFile, ...ATTACHED];
      world = await World.start({ login: true, store, flags });
      const { server, http: operator } = world;
      replicas = [server];
      if (store === "postgres") {
        const more = [...flags, "--base-url", server.url];
        replicas.push(await TestServer.start({ sameStoreAs: server, flags: more }));
      }
      for (const { url } of replicas)
        assert.equal((await fetch(`${url}/registry/certs.pem`)).status, 200);
      person = await world.login.logIn("ada");
      workload = await server.token();
      await operator.post("/iam/v2beta1/groups", { name: "other" });
      pageToken = (await operator.get("/iam/v2beta1/groups?page_size=1")).body.nextPageToken;
      const [session] = await rawRows<SessionRow>(server, "SELECT id, generation FROM sessions");
      leak = { ...(await keyMaterialOf(server)), session: session as SessionRow };
    });
    after(async () => {
      for (const server of [...replicas].reverse()) assert.equal(await server.stop(), 0);
      await world.login.upstream.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    const onAll = async <T>(ask: (url: string) => Promise<T>) =>
      Promise.all(replicas.map(({ url }) => ask(url)));
    const all = <T>(value: T) => replicas.map(() => value);

    const groups = (token: string) =>
      onAll(async (url) => (await new Http(url, token).get("/iam/v2beta1/groups")).status);

    /** A token of the operator, signed at this moment with the leaked key. */
    const forgedToken = () => {
      const { kid, key } = privateKeyOf(leak.signing);
      const { url } = world.server;
      const iat = Math.floor(Date.now() / 1000);
      const claims = { iss: url, aud: url, sub: OPERATOR_UID, jti: randomUUID(), iat };
      return signJwt({ kid, privateKey: key }, { ...claims, exp: iat + 3_600 });
    };

    const refresh = async (url: string, token: string) => {
      const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: token });
      const answer = await fetch(`${url}/oauth/token`, { method: "POST", body });
      return {
        status: answer.status,
        ...((await answer.json()) as { refresh_token?: string; error?: string }),
      };
    };

    const forgedRefreshToken = ({ id, generation }: SessionRow) => {
      const tokens = new RefreshTokens(() => leak.installation.get("refresh-tokens") as Buffer);
      return tokens.write({ session: id, generation, expires: Date.now() + 3_600_000 });
    };

    const notify = (secret: string) =>
      onAll(async (url) => {
        const answer = await fetch(`${url}/registry/notifications`, {
          method: "POST",
          headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
          body: JSON.stringify({ events: [] }),
        });
        return answer.status;
      });

    const forgedNotificationSecret = () =>
      createHmac("sha256", leak.installation.get("registry-notifications") as Buffer)
        .update(HOST)
        .digest("base64url");

    const published = (path: string) =>
      onAll(async (url) => {
        const { keys } = (await (await fetch(`${url}${path}`)).json()) as {
          keys: { kid: string }[];
        };
        return keys.map(({ kid }) => kid);
      });

    const rotations = async () => {
      const sql = `SELECT actor, detail FROM audit WHERE method = 'keys rotate' ORDER BY id`;
      const rows = await rawRows<{ actor: string; detail: string }>(world.server, sql);
      return rows.map(({ actor, detail }) => ({ actor, ...JSON.parse(detail) }));
    };

    test("the attacker can act as the operator, a user and a registry", async () => {
      assert.deepEqual(await groups(forgedToken()), all(200));
      assert.deepEqual(await notify(forgedNotificationSecret()), all(200));
    });

    test("a rotation with overlap does not stop the attacker", async () => {
      await world.server.admin("keys", "rotate");
      assert.deepEqual(await groups(forgedToken()), all(200));
    });

    test("rotate --now rejects what old keys sign, on every replica at the next request", async () => {
      const registryKeys = await published("/registry/jwks.json");
      const kid = (await world.server.admin("keys", "rotate", "--now", "--yes")).trim();
      assert.deepEqual(await groups(forgedToken()), all(401));
      assert.deepEqual(await groups(workload), all(401));
      assert.deepEqual(await groups(person.access_token), all(401));
      assert.deepEqual(await published("/.well-known/jwks.json"), all([kid]));
      const [now] = await published("/registry/jwks.json");
      assert.deepEqual(await published("/registry/jwks.json"), all(now));
      assert.equal(now?.length, 2);
      const known = new Set([...registryKeys.flat(), ...leak.registry.keys()]);
      assert.ok(!now?.some((one) => known.has(one)), "the next key is a new one, too");
      assert.deepEqual(await groups(await world.server.token()), all(200));
    });

    test("it keeps sessions: refresh tokens stay valid", async () => {
      const renewed = await refresh(world.server.url, person.refresh_token);
      assert.equal(renewed.status, 200);
      person = { ...person, ...renewed };
      assert.deepEqual(await groups(person.access_token), all(200));
    });

    test("rotate --all rejects forged refresh tokens, ends sessions and replaces every secret", async () => {
      const [session] = await rawRows<SessionRow>(
        world.server,
        "SELECT id, generation FROM sessions",
      );
      const cursor = `/iam/v2beta1/groups?page_size=1&page_token=${pageToken}`;
      await world.server.admin("keys", "rotate", "--all", "-y");
      for (const token of [
        forgedRefreshToken(session as SessionRow),
        forgedRefreshToken(leak.session),
        person.refresh_token,
      ])
        assert.deepEqual(
          await onAll(async (url) => (await refresh(url, token)).error),
          all("invalid_grant"),
        );
      for (const token of [forgedToken(), workload, person.access_token])
        assert.deepEqual(await groups(token), all(401));
      assert.deepEqual(await notify(forgedNotificationSecret()), all(401));
      const operator = await world.server.token();
      const statuses = await onAll(
        async (url) => (await new Http(url, operator).get(cursor)).status,
      );
      assert.deepEqual(statuses, all(400), "page tokens of before");
      assert.deepEqual(await rawRows(world.server, "SELECT id FROM sessions"), []);
      assert.deepEqual(await rawRows(world.server, "SELECT digest FROM tickets"), []);
    });

    test("new credentials work on every replica", async () => {
      const host = ["registry-secret", HOST] as const;
      const secret = (await world.server.admin(...host, ...ATTACHED)).trim();
      assert.deepEqual(await notify(secret), all(200));
      const again = await world.login.logIn("ada");
      assert.deepEqual(await groups(again.access_token), all(200));
      const last = replicas.at(-1) as TestServer;
      assert.equal((await refresh(last.url, again.refresh_token)).status, 200);
    });

    test("every rotation has an audit row, without a secret", async () => {
      const rows = await rotations();
      assert.deepEqual(
        rows.map(({ actor, mode, registryKeys }) => ({ actor, mode, registryKeys })),
        ["overlap", "now", "all"].map((mode) => ({
          actor: OPERATOR_UID,
          mode,
          registryKeys: true,
        })),
      );
      assert.equal(rows[2].sessionsEnded, 1);
      for (const row of rows)
        assert.deepEqual(Object.keys(row).sort(), [
          "actor",
          "kid",
          "mode",
          "registryKeys",
          "sessionsEnded",
        ]);
    });

    test("after re-encryption, the old key decrypts nothing", async () => {
      const old = new Secrets(readFileSync(keyFile));
      const next = join(folder, "next.key");
      writeFileSync(next, randomBytes(32));
      await world.server.admin("keys", "reseal", "--new-secret-key-file", next);
      const sql = "SELECT owner, name, sealed FROM secrets";
      const rows = await rawRows<{ owner: string; name: string; sealed: Uint8Array }>(
        world.server,
        sql,
      );
      assert.ok(rows.length > 5);
      for (const { owner, name, sealed } of rows)
        assert.throws(() => old.unseal(owner, name, sealed), `${owner} ${name}`);
      await assert.rejects(world.server.token(), /secret\.key is not the key that stored keys/);
      renameSync(next, keyFile);
      // No server was restarted: each reads the new key when it needs it.
      const kid = (await world.server.admin("keys", "rotate", "--now", "--yes")).trim();
      assert.deepEqual(await groups(await world.server.token()), all(200));
      assert.deepEqual(await published("/.well-known/jwks.json"), all([kid]));
      const again = await world.login.logIn("ada");
      assert.deepEqual(await groups(again.access_token), all(200));
      const audited = await rawRows<{ detail: string }>(
        world.server,
        "SELECT detail FROM audit WHERE method = 'keys reseal'",
      );
      assert.deepEqual(
        audited.map(({ detail }) => JSON.parse(detail)),
        [{ values: rows.length }],
      );
    });
  });
}
