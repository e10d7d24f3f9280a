/** Identities that the rules of @wharf/trust make: exchanges of the intended tokens, and of near misses. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import {
  PLATFORMS,
  type PlatformName,
  type Relationship,
  trustOf,
  type Values,
} from "@wharf/trust";
import type { JWTPayload } from "jose";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { World } from "./support/world/world.ts";

const IDS = { repository_id: "42", repository_owner_id: "7" };
const PROJECT = "project_path:acme/a.b:ref_type:branch:ref";

/** Entered values, and claims that the identity accepts and rejects; texts are subjects. */
interface Rule {
  readonly platform: PlatformName;
  readonly values: Values;
  readonly accepted: readonly (string | JWTPayload)[];
  readonly rejected: readonly (string | JWTPayload)[];
}

const RULES: Readonly<Record<string, Rule>> = {
  "a branch of GitHub": {
    platform: "github",
    values: { repo: "acme/a.b", ref: "release+1", repoId: "42", ownerId: "7" },
    accepted: [
      { sub: "repo:acme/a.b:ref:refs/heads/release+1", ...IDS },
      { sub: "repo:acme@7/a.b@42:ref:refs/heads/release+1", ...IDS },
    ],
    rejected: [
      { sub: "repo:acme/a.b/extra:ref:refs/heads/release+1", ...IDS },
      { sub: "repo:acme/a.b2:ref:refs/heads/release+1", ...IDS },
      { sub: "repo:acme/aXb:ref:refs/heads/release+1", ...IDS },
      { sub: "repo:acme2/a.b:ref:refs/heads/release+1", ...IDS },
      { sub: "repo:acme/a.b:ref:refs/heads/release+12", ...IDS },
      { sub: "repo:acme/a.b:ref:refs/heads/releasee1", ...IDS },
      { sub: "repo:acme/a.b:ref:refs/tags/release+1", ...IDS },
      { sub: "repo:acme/a.b:pull_request", ...IDS },
      { sub: "repo:acme@7/a.b@421:ref:refs/heads/release+1", ...IDS },
      { sub: "xrepo:acme/a.b:ref:refs/heads/release+1", ...IDS },
      { sub: "repo:acme/a.b:ref:refs/heads/release+1\n", ...IDS },
      { sub: "repo:acme/a.b:ref:refs/heads/release+1", ...IDS, repository_id: "43" },
      { sub: "repo:acme/a.b:ref:refs/heads/release+1", repository_owner_id: "7" },
      { sub: "repo:acme/a.b:ref:refs/heads/release+1", ...IDS, aud: "other.example" },
      { sub: "repo:acme/a.b:ref:refs/heads/release+1", ...IDS, iss: "https://other.example" },
    ],
  },
  "an environment of GitHub": {
    platform: "github",
    values: { repo: "acme/app", trigger: "environment", environment: "prod (eu):1" },
    accepted: [
      "repo:acme/app:environment:prod (eu)%3A1",
      "repo:acme@7/app@42:environment:prod (eu)%3A1",
    ],
    rejected: [
      "repo:acme/app:environment:prod eu%3A1",
      "repo:acme/app:environment:prod (eu)%3A12",
      "repo:acme/app:ref:refs/heads/main",
    ],
  },
  "any ref of a project of GitLab": {
    platform: "gitlab",
    values: { projectPath: "acme/a.b" },
    accepted: [`${PROJECT}:main`, `${PROJECT}:feature/x`],
    rejected: [
      "project_path:acme/aXb:ref_type:branch:ref:main",
      "project_path:acme/a.b/extra:ref_type:branch:ref:main",
      "project_path:other/acme/a.b:ref_type:branch:ref:main",
      "project_path:acme/a.b:ref_type:tag:ref:main",
    ],
  },
  "a service account of Kubernetes": {
    platform: "kubernetes",
    values: { namespace: "prod", serviceAccount: "a.b" },
    accepted: ["system:serviceaccount:prod:a.b"],
    rejected: [
      "system:serviceaccount:prod2:a.b",
      "system:serviceaccount:other:a.b",
      "system:serviceaccount:prod:aXb",
      "system:serviceaccount:prod:a.b2",
      "system:serviceaccount:prod:a.b:x",
    ],
  },
};

describe("identities made by the rules of platforms", () => {
  let world: World;
  let issuer: StandInIssuer;
  let org: string;
  /** The answer of AWS to a signed request. */
  let caller = {};
  const aws = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    const found = { GetCallerIdentityResponse: { GetCallerIdentityResult: caller } };
    response.end(JSON.stringify(found));
  });
  before(async () => {
    aws.listen(0, "127.0.0.1");
    await once(aws, "listening");
    issuer = await StandInIssuer.start();
    world = await World.start({ flags: ["--aws-sts-endpoint", `http://${awsHost()}`] });
    org = await world.organization();
  });
  after(async () => {
    aws.close();
    await issuer.stop();
    await world.stop();
  });
  const awsHost = () => `127.0.0.1:${(aws.address() as AddressInfo).port}`;

  const create = async (relationship: Relationship) => {
    const path = `/iam/v2beta1/identities/${org}`;
    const { body, status } = await world.http.post(path, { name: world.name(), ...relationship });
    assert.equal(status, 200, JSON.stringify(body));
    return body.uid as string;
  };
  const ask = async (identity: string, claims: string | JWTPayload, iss = issuer.url) => {
    const sent = typeof claims === "string" ? { sub: claims } : claims;
    const token = await issuer.sign({ iss, ...sent });
    return exchange(world.server.url, token, { aud: world.server.url, identity });
  };

  for (const [name, { platform, values, accepted, rejected }] of Object.entries(RULES)) {
    test(`${name}: the intended tokens, and no near miss`, async () => {
      const local = platform === "kubernetes" ? { ...values, issuer: issuer.url } : values;
      const { claimMatch } = trustOf(PLATFORMS[platform], local).relationship;
      // The tokens of this test come from a local issuer.
      const identity = await create({ claimMatch: { ...claimMatch, issuer: issuer.url } });
      for (const claims of accepted) {
        const made = await ask(identity, claims);
        assert.equal(made.status, 200, `${JSON.stringify(claims)}: ${made.message}`);
      }
      for (const claims of rejected) {
        const made = await ask(identity, claims);
        assert.notEqual(made.status, 200, JSON.stringify(claims));
        assert.ok([7, 16].includes(made.code), made.message);
      }
    });
  }

  test("static keys: tokens of GitLab and of a cluster that the server cannot reach", async () => {
    const issuerKeys = JSON.stringify(issuer.jwks);
    const cluster = "https://kubernetes.default.svc.cluster.local";
    const other = await StandInIssuer.start();
    try {
      const gitlab = { projectPath: "acme/app", ref: "main", issuerKeys };
      const job = await create(trustOf(PLATFORMS.gitlab, gitlab).relationship);
      const pods = { namespace: "prod", serviceAccount: "app", issuerKeys };
      const pod = await create(trustOf(PLATFORMS.kubernetes, pods).relationship);
      const sub = "system:serviceaccount:prod:app";
      const main = "project_path:acme/app:ref_type:branch:ref:main";
      assert.equal((await ask(job, main, "https://gitlab.com")).status, 200);
      assert.equal((await ask(job, `${main}2`, "https://gitlab.com")).code, 7);
      assert.equal((await ask(job, main, "https://gitlab.com.evil.example")).code, 7);
      assert.equal((await ask(pod, sub, cluster)).status, 200);
      assert.equal((await ask(pod, sub.replace("prod", "other"), cluster)).code, 7);
      // Another cluster with the same default issuer, the same names, and keys of its own.
      const token = await other.sign({ iss: cluster, sub });
      const query = { aud: world.server.url, identity: pod };
      assert.equal((await exchange(world.server.url, token, query)).code, 16);
    } finally {
      await other.stop();
    }
  });

  const ROLE = { awsAccount: "123456789012", awsName: "dep.loyer", userId: "AROAEXAMPLE" };
  const USER = { principal: "user", awsAccount: "123456789012", awsName: "me" };
  const sts = (rest: string, account = "123456789012") => `arn:aws:sts::${account}:${rest}`;
  const iam = (rest: string) => `arn:aws:iam::123456789012:${rest}`;

  test("a role and a user of AWS: the intended principal, and no near miss", async () => {
    const role = await create(trustOf(PLATFORMS.aws, ROLE).relationship);
    const user = await create(trustOf(PLATFORMS.aws, USER).relationship);
    const call = async (
      identity: string,
      Arn: string,
      UserId: string,
      Account = "123456789012",
    ) => {
      caller = { Account, Arn, UserId };
      const query = { aud: world.server.url, identity };
      return (await exchange(world.server.url, signedRequest(identity), query)).code;
    };
    assert.equal(await call(role, sts("assumed-role/dep.loyer/run"), "AROAEXAMPLE:run"), 0);
    assert.equal(await call(role, sts("assumed-role/depXloyer/run"), "AROAEXAMPLE:run"), 7);
    assert.equal(await call(role, sts("assumed-role/dep.loyer2/run"), "AROAEXAMPLE:run"), 7);
    assert.equal(await call(role, sts("assumed-role/dep.loyer/run"), "AROAOTHER:run"), 7);
    assert.equal(await call(role, iam("user/dep.loyer"), "AIDAEXAMPLE"), 7);
    const elsewhere = sts("assumed-role/dep.loyer/run", "999999999999");
    assert.equal(await call(role, elsewhere, "AROAEXAMPLE:run", "999999999999"), 7);
    assert.equal(await call(user, iam("user/me"), "AIDAEXAMPLE"), 0);
    assert.equal(await call(user, iam("user/team/me"), "AIDAEXAMPLE"), 0);
    assert.equal(await call(user, iam("user/notme"), "AIDAEXAMPLE"), 7);
    assert.equal(await call(user, sts("assumed-role/me/me"), "AROAEXAMPLE:me"), 7);
  });

  /** A signed request as clients write it down; the stand-in of AWS accepts any signature. */
  function signedRequest(identity: string): string {
    const date = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const names = "accept;chainguard-audience;chainguard-identity;host;x-amz-date";
    const credential = `Credential=AKIA/${date.slice(0, 8)}/us-east-1/sts/aws4_request`;
    const lines = [
      "POST /?Action=GetCallerIdentity&Version=2011-06-15 HTTP/1.1",
      `Host: ${awsHost()}`,
      "Accept: application/json",
      `X-Amz-Date: ${date}`,
      `Chainguard-Audience: ${world.server.url}`,
      `Chainguard-Identity: ${identity}`,
      `Authorization: AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${"ab".repeat(32)}`,
    ];
    return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`).toString("base64url");
  }
});
