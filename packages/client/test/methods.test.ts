import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { DescMethod } from "@bufbuild/protobuf";
import { Capability, NotFoundError, SERVICES, UnimplementedError, WharfError } from "@wharf/client";
import { builtinRole, literalIdentityUid } from "@wharf/contract";
import { type Images, pushedImages } from "../../server/test/support/exposure/pushed-images.ts";
import { StandInIssuer } from "../../server/test/support/providers/issuer.ts";
import { World } from "../../server/test/support/world/world.ts";
import { callExposure } from "./support/exposure-calls.ts";
import { callAudit, callEvents } from "./support/log-calls.ts";
import { callAccountAssociations, callIdentityProviders } from "./support/provider-calls.ts";
import {
  PROTOCOLS,
  type Protocol,
  type RecordingClient,
  recordingClient,
} from "./support/recording-client.ts";
import { callSignatures } from "./support/signature-calls.ts";

const VIEWER = builtinRole("viewer")?.uid as string;
const UNKNOWN_UID = "f".repeat(40);

let world: World;
let issuer: StandInIssuer;
let images: Images;
before(async () => {
  world = await World.start({ login: true, registry: true });
  images = await pushedImages(world);
  issuer = await StandInIssuer.start();
});
after(async () => {
  await world.stop();
  await issuer.stop();
});

/** The outcome of a method when its request is of the right shape and names nothing that exists. */
async function outcome({ wharf }: RecordingClient, method: DescMethod): Promise<string> {
  const request = Object.fromEntries(
    method.input.fields.map((field) => [field.localName, emptyOf(field.localName, method)]),
  );
  try {
    await wharf.call(method, request);
    return "OK";
  } catch (error) {
    assert.ok(error instanceof WharfError, String(error));
    assert.equal(error instanceof UnimplementedError, error.code === "UNIMPLEMENTED");
    return error.code;
  }
}

function emptyOf(name: string, { input }: DescMethod): unknown {
  const field = input.fields.find((one) => one.localName === name);
  if (field?.fieldKind === "scalar" && /uid$|^parent$/i.test(name)) return UNKNOWN_UID;
  if (field?.fieldKind === "scalar" && name === "digest") return `sha256:${"0".repeat(64)}`;
  return field?.fieldKind === "message" && name !== "updateMask" ? { uid: UNKNOWN_UID } : undefined;
}

const clients = new Map<Protocol, RecordingClient>();

for (const protocol of PROTOCOLS) {
  describe(`every method over ${protocol}`, () => {
    let org: string;
    let all: RecordingClient;
    before(async () => {
      all = recordingClient(protocol, {
        baseUrl: world.server.url,
        token: await world.server.token(),
      });
      clients.set(protocol, all);
      org = (await all.wharf.groups.create({ group: { name: protocol.toLowerCase() } })).uid;
    });

    test("groups", async () => {
      const { groups } = all.wharf;
      const group = { name: "child", description: "first" };
      const tried = await groups.create({ parent: org, group }, { dryRun: true });
      assert.equal(tried.name, "child");
      await assert.rejects(groups.get({ uid: tried.uid }), NotFoundError);
      const { uid, ...made } = await groups.create({ parent: org, group });
      assert.equal(made.description, "first");
      assert.equal((await groups.get({ uid })).name, "child");
      await groups.update({ group: { uid, name: "renamed", description: "" } });
      const { name, description } = await groups.get({ uid });
      assert.deepEqual([name, description], ["renamed", ""], "what is written down changes");
      const masked = { uid, name: "other", description: "masked" };
      await groups.update({ group: masked, updateMask: ["description"] });
      const after = await groups.get({ uid });
      assert.deepEqual([after.name, after.description], ["renamed", "masked"]);
      const list = await groups.list({ uidp: { childrenOf: org } });
      assert.deepEqual([list.groups.length, list.totalCount, list.nextPageToken], [1, 1n, ""]);
      await groups.delete({ uid });
      await assert.rejects(groups.get({ uid }), NotFoundError);
    });

    test("identities", async () => {
      const { identities } = all.wharf;
      const claims = { repository_id: "42" };
      const value = {
        iss: { case: "issuer", value: issuer.url } as const,
        sub: { case: "subject", value: "job" } as const,
        claims,
      };
      const relationship = { case: "claimMatch", value } as const;
      const identity = { name: "ci", relationship };
      const { uid } = await identities.create({ parent: org, identity });
      const stored = await identities.get({ uid });
      assert.ok(stored.relationship.case === "claimMatch");
      assert.deepEqual(stored.relationship.value.claims, claims);
      const other = { case: "subject", value: "other" } as const;
      await identities.update({
        identity: { uid, relationship: { case: "claimMatch", value: { sub: other } } },
        updateMask: ["claimMatch.subject"],
      });
      const token = await issuer.sign({ sub: "other", repository_id: "42" });
      const { allowed, checks } = await identities.test({ uid, token });
      assert.equal(allowed, true, JSON.stringify(checks));
      assert.equal((await identities.list({ name: "ci", uidp: { childrenOf: org } })).skipped, 0);
      const found = await identities.lookup({ issuer: issuer.url, subject: "somebody" });
      assert.equal(found.uid, literalIdentityUid(issuer.url, "somebody"));
      await identities.delete({ uid });
    });

    test("roles and role bindings", async () => {
      const { roles, roleBindings } = all.wharf;
      const capabilities = [Capability.CAP_IAM_GROUPS_LIST];
      const role = await roles.create({ parent: org, role: { name: "r", capabilities } });
      assert.deepEqual((await roles.get({ uid: role.uid })).capabilities, capabilities);
      await roles.update({ role: { uid: role.uid, description: "reads" } });
      assert.equal((await roles.list({ name: "viewer" })).roles.length, 1);
      const identityUid = literalIdentityUid(issuer.url, `bound over ${protocol}`);
      const invite = await invited();
      const stranger = all.as(
        await issuer.sign({
          sub: `bound over ${protocol}`,
          aud: new URL(world.server.url).hostname,
        }),
      );
      const session = await stranger.auth.register({ code: invite, identityId: identityUid });
      assert.deepEqual([session.identity, session.group], [identityUid, org]);
      const roleBinding = { identityUid, roleUid: role.uid };
      const { uid } = await roleBindings.create({ parent: org, roleBinding });
      assert.equal((await roleBindings.get({ uid })).role?.name, "r");
      await roleBindings.update({ roleBinding: { uid, roleUid: VIEWER } });
      const batch = await roleBindings.batchCreate({ parent: org, requests: [{ roleBinding }] });
      const bound = await roleBindings.list({ identity: identityUid, role: role.uid });
      assert.deepEqual(bound.roleBindings, batch.roleBindings);
      const { organizationSettings } = all.wharf;
      const settings = { groupUid: org, uniqueSiblings: false };
      await organizationSettings.update({ organizationSettings: settings });
      const { uniqueSiblings } = await organizationSettings.get({ groupUid: org });
      assert.equal(uniqueSiblings, false);
      const { access } = all.wharf;
      const capability = Capability.CAP_IAM_GROUPS_LIST;
      const check = { resource: org, capability, identity: identityUid };
      assert.equal((await access.check(check)).allowed, true);
      const { results } = await access.batchCheck({ checks: [check, check] });
      assert.deepEqual(
        results.map(({ allowed, error }) => [allowed, error]),
        [
          [true, undefined],
          [true, undefined],
        ],
      );
      const granted = await Array.fromAsync(access.listAll({ resource: org, capability }));
      assert.ok(granted.some((grant) => grant.uid === uid));
      for (const one of [...batch.roleBindings, { uid }])
        await roleBindings.delete({ uid: one.uid });
      await roles.delete({ uid: role.uid });
    });

    const invited = async (): Promise<string> => {
      const groupInvite = { roleUid: VIEWER, ttl: { seconds: 600n } };
      return (await all.wharf.groupInvites.create({ parent: org, groupInvite })).code;
    };

    test("group invites", async () => {
      const { groupInvites } = all.wharf;
      const groupInvite = { roleUid: VIEWER, ttl: { seconds: 60n } };
      const { uid, keyId } = await groupInvites.create({ parent: org, groupInvite });
      assert.equal((await groupInvites.get({ uid })).role?.name, "viewer");
      await groupInvites.update({ groupInvite: { uid, email: "a@acme.example" } });
      const list = await groupInvites.list({ keyId });
      assert.deepEqual(
        list.groupInvites.map((one) => one.email),
        ["a@acme.example"],
      );
      await groupInvites.delete({ uid });
    });

    test("identity providers, their provisioning and their groups", async () => {
      await callIdentityProviders(all.wharf, org);
    });

    test("account associations", async () => {
      await callAccountAssociations(all.wharf, org);
    });

    test("tokens, sessions and people", async () => {
      const login = await world.login.logIn("ada");
      const ada = all.as(login.access_token);
      const me = await ada.auth.validate();
      assert.equal(me.email, "ada@acme.example");
      const aud = [world.server.url];
      const spend = { token: login.refresh_token };
      const pair = await all.wharf.sts.exchangeRefreshToken({ aud }, spend);
      assert.ok(pair.token?.token && pair.refreshToken?.token);
      const narrowed = await ada.sts.exchange({ aud, cap: ["groups.list"] });
      assert.ok(narrowed.token);
      const code = randomBytes(32).toString("base64url");
      await assert.rejects(ada.auth.getHeadlessSession({ code }), NotFoundError);
      await world.login.logIn("ada");
      const { sessions } = await ada.sessions.list();
      const other = sessions.find((session) => !session.current);
      await ada.sessions.end({ id: other?.id as string });
      assert.equal((await ada.sessions.list()).sessions.length, sessions.length - 1);
      assert.equal((await ada.sessions.getCredentials()).username, "", "ada has no local account");
      await ada.auth.delete({ id: me.subject });
      await assert.rejects(ada.auth.validate(), { code: "UNAUTHENTICATED" });
      const bob = all.as((await world.login.logIn("bob")).access_token);
      await bob.sessions.logout({});
      await assert.rejects(bob.auth.validate(), { code: "UNAUTHENTICATED" });
    });

    test("the audit log", async () => {
      await callAudit(all.wharf, org, protocol);
    });

    test("events", async () => {
      await callEvents(all.wharf, org);
    });

    test("exposure", async () => {
      const { token } = await world.member({ [images.organization]: "owner" });
      await callExposure(all.wharf, all.as(token), images);
    });

    test("signatures", () => callSignatures(all.wharf, images));

    test("the installation", async () => {
      const { installation } = all.wharf;
      const { authUrl, redirectUri, registryHosts } = await installation.get({});
      assert.equal(redirectUri, `${authUrl}/oauth/callback`);
      assert.equal(registryHosts.length, 1);
      assert.equal((await installation.getStatus({})).database, "sqlite");
      const before = (await installation.listSigningKeys({})).signingKeys;
      const { kid } = await installation.rotateSigningKeys({});
      const after = (await installation.listSigningKeys({})).signingKeys;
      assert.equal(after.length, before.length + 1);
      assert.equal(after[0]?.kid, kid);
    });

    test("what clients of the public contract ask for, and is not here", async () => {
      const { groups, identities, terms } = all.wharf;
      await assert.rejects(groups.lookup({}), { code: "NOT_FOUND" });
      assert.equal((await groups.checkEligibility({})).eligible, false);
      const metadata = await identities.updateMetadata({ identityMetadata: {} });
      assert.match(metadata.uid, /^[0-9a-f]{40}$/);
      const group = org;
      assert.deepEqual((await terms.listAcceptances({ group })).termsAcceptances, []);
      const accepted = terms.accept({ group, documentIds: ["tos.v1"] });
      await assert.rejects(accepted, { code: "NOT_FOUND" });
    });

    test("ping", async () => {
      assert.equal((await all.wharf.ping.ping()).$typeName, "wharf.ping.v2beta1.PingResponse");
    });
  });
}

test("what is left of the contract answers the same over both", async () => {
  const [rest, grpc] = PROTOCOLS.map((protocol) => clients.get(protocol) as RecordingClient) as [
    RecordingClient,
    RecordingClient,
  ];
  assert.deepEqual([...rest.called].sort(), [...grpc.called].sort());
  const methods = SERVICES.flatMap((service) => service.methods);
  const left = methods.filter(({ parent, name }) => !rest.called.has(`${parent.typeName}.${name}`));
  for (const method of left) {
    const over = await outcome(rest, method);
    assert.equal(over, await outcome(grpc, method), `${method}`);
    const registry = /registry|vulnerabilities/.test(method.parent.typeName);
    assert.ok(registry, `${method} is served and was not called for real: ${over}`);
  }
});
