import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import type { DescMethod } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AccountProviderType,
  Capability,
  CheckStatus,
  NotFoundError,
  SERVICES,
  UnimplementedError,
  WharfError,
} from "@wharf/client";
import { builtinRole, literalIdentityUid, SubscriptionState } from "@wharf/contract";
import { type Images, pushedImages } from "../../server/test/support/exposure/pushed-images.ts";
import { StandInIssuer } from "../../server/test/support/providers/issuer.ts";
import { World } from "../../server/test/support/world/world.ts";
import { callExposure } from "./support/exposure-calls.ts";
import {
  PROTOCOLS,
  type Protocol,
  type RecordingClient,
  recordingClient,
} from "./support/recording-client.ts";

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
      const kept = await identities.get({ uid });
      assert.ok(kept.relationship.case === "claimMatch");
      assert.deepEqual(kept.relationship.value.claims, claims);
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
      const asked = { resource: org, capability, identity: identityUid };
      assert.equal((await access.check(asked)).allowed, true);
      const { results } = await access.batchCheck({ checks: [asked, asked] });
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
      const { identityProviders, externalGroupRoleMappings: mappings } = all.wharf;
      const oidc = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };
      const configuration = { case: "oidc", value: oidc } as const;
      const identityProvider = { name: "corp", defaultRole: VIEWER, configuration };
      const { uid } = await identityProviders.create({ parent: org, identityProvider });
      assert.equal((await identityProviders.get({ uid })).name, "corp");
      const checked = await identityProviders.checkIssuer({
        parent: org,
        issuer: "https://10.0.0.1",
      });
      assert.notEqual(checked.problem, "");
      await identityProviders.update({ identityProvider: { uid, name: "corp sso" } });
      const { identityProviders: found } = await identityProviders.list({
        uidp: { childrenOf: org },
      });
      assert.deepEqual(
        found.map((one) => one.name),
        ["corp sso"],
      );
      const identityProviderUid = uid;
      const first = await identityProviders.generateScimToken({ identityProviderUid });
      const again = { identityProviderUid, etag: first.etag, overlap: { seconds: 0n } };
      const second = await identityProviders.regenerateScimToken(again);
      assert.notEqual(second.token, first.token);
      const off = { identityProviderUid, enabled: false, etag: second.etag };
      assert.equal((await identityProviders.setScimEnabled(off)).enabled, false);
      await identityProviders.revokeScimToken({ identityProviderUid });

      const make = async (externalGroupId: string) => {
        const externalGroupRoleMapping = { externalGroupId, roleUid: VIEWER };
        return (await mappings.create({ parent: uid, externalGroupRoleMapping })).uid;
      };
      const [one, two] = [await make("one"), await make("two")];
      assert.equal((await mappings.get({ uid: one })).externalGroupId, "one");
      assert.equal((await mappings.list({ identityProviderUid })).totalCount, 2n);
      await mappings.delete({ uid: one });
      await mappings.batchDelete({ parent: uid, names: [two] });
      await identityProviders.delete({ uid });
    });

    test("account associations", async () => {
      const { accountAssociations } = all.wharf;
      const installations = [{ installationId: 567n, name: "acme" }];
      const github = { appInstallations: { "1234": { installations } } };
      const accountAssociation = { name: "accounts", github };
      const { uid } = await accountAssociations.create({ parent: org, accountAssociation });
      assert.equal(uid, org);
      const kept = await accountAssociations.get({ uid });
      assert.equal(kept.github?.appInstallations["1234"]?.installations[0]?.installationId, 567n);
      await accountAssociations.update({ accountAssociation: { uid, github: {}, name: "none" } });
      const list = await accountAssociations.list({ name: "none", uidp: { ids: [org] } });
      assert.equal(list.accountAssociations[0]?.name, "none");
      const providerType = AccountProviderType.AMAZON;
      const { status, reason } = await accountAssociations.check({ uid, providerType });
      assert.deepEqual([status, reason], [CheckStatus.NOT_READY, "NOT_CONFIGURED"]);
      await accountAssociations.delete({ uid });
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
      const { audit, groups } = all.wharf;
      const [latest] = (await audit.listEntries({ filter: { resource: org }, pageSize: 1 }))
        .entries;
      const request = {
        filter: { resource: org, method: "CreateGroup" },
        after: latest?.uid ?? "",
      };
      const watched = audit.watchEntries(request)[Symbol.asyncIterator]();
      const next = watched.next();
      const { uid } = await groups.create({ parent: org, group: { name: "audited" } });
      const filter = { resource: uid, method: "CreateGroup" };
      const { entries, totalCount } = await audit.listEntries({ filter });
      assert.deepEqual([entries.length, totalCount], [1, 1n]);
      assert.equal((await next).value?.uid, entries[0]?.uid);
      await watched.return?.();
      const entry = await audit.getEntry({ uid: entries[0]?.uid as string });
      assert.deepEqual(
        [entry.resource?.name, entry.via],
        ["audited", protocol === "gRPC" ? "grpc" : "rest"],
      );
      const [since, until] = [
        timestampFromMs(Date.now() - 60_000),
        timestampFromMs(Date.now() + 1),
      ];
      const { counts } = await audit.getEntryCounts({
        filter: { ...filter, since, until },
        intervals: 1,
      });
      assert.equal(counts[0]?.succeeded, 1n);
      const { content } = await audit.exportEntries({ filter });
      assert.match(content, /^\{"kind":"header"/);
    });

    test("events", async () => {
      const { deliveries, events, groups, subscriptions } = all.wharf;
      const sink = "https://sink.test/";
      const { uid } = await subscriptions.create({ parent: org, subscription: { sink } });
      const paused = { uid, state: SubscriptionState.PAUSED };
      const updateMask = { paths: ["state"] };
      await subscriptions.update({ subscription: paused, updateMask });
      assert.equal((await subscriptions.get({ uid })).state, SubscriptionState.PAUSED);
      assert.equal(
        (await subscriptions.list({ uidp: { childrenOf: org } })).subscriptions.length,
        1,
      );
      assert.match((await subscriptions.rotateSecret({ uid })).secret, /^whsec_/);
      const { eventId } = await subscriptions.test({ uid });
      await deliveries.redeliverEvents({ subscriptionUid: uid, eventIds: [eventId] });
      assert.ok((await deliveries.list({ subscriptionUid: uid })).totalCount > 0n);
      const since = timestampFromMs(Date.now() - 3_600_000);
      assert.equal((await deliveries.getCounts({ uid, since, intervals: 3 })).counts.length, 3);

      const types = ["dev.chainguard.api.iam.group.created.v1"];
      // Without a position, the stream begins when its request arrives, which may be after the group is created.
      const request = { group: org, types, after: eventId };
      const watched = events.watch(request)[Symbol.asyncIterator]();
      const next = watched.next();
      const made = await groups.create({ parent: org, group: { name: "watched" } });
      assert.equal((await next).value?.subject, made.uid);
      await watched.return?.();
      const { events: found } = await events.list({ group: org, subject: made.uid });
      assert.deepEqual(
        found.map(({ subject }) => subject),
        [made.uid],
      );
      assert.ok((await events.listTypes()).eventTypes.length > 40);
      assert.ok((await events.previewFilter({ group: org, filters: [] })).totalCount > 0n);
      await subscriptions.delete({ uid });
    });

    test("exposure", async () => {
      const { token } = await world.member({ [images.organization]: "owner" });
      await callExposure(all.wharf, all.as(token), images);
    });

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
