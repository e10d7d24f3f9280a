/**
 * The calls of the Terraform provider `chainguard-dev/chainguard`, resource by resource: the methods, fields and
 * masks that it sends, over gRPC and under the public names. The provider itself is not run.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PackagesService } from "@wharf/contract";
import { groupInvitesV1, groupsV1, identitiesV1 } from "@wharf/contract/v1";
import { type Answer, ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { sendBytes } from "./support/client/grpc.ts";
import { exchange } from "./support/client/tokens.ts";
import { StandInIssuer } from "./support/providers/issuer.ts";
import { digest } from "./support/registry/oci-image.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;
const SUBJECT = "repo:acme/infrastructure:ref:refs/heads/main";
const EVERYTHING = ["*"];

onEachStore("the calls of Terraform's provider", (world) => {
  let issuer: StandInIssuer;
  let org: string;
  let identity: string;
  let provider: ApiClient;

  /** The provider exchanges the OIDC token of its CI job, and again after it has created an organization. */
  const login = async () => {
    const { url } = world.server;
    const token = await issuer.sign({ sub: SUBJECT });
    const made = await exchange(url, token, { aud: url, identity });
    assert.equal(made.status, 200, made.message);
    return new ApiClient({ url, token: made.token, protocol: "gRPC", naming: "public" });
  };

  before(async () => {
    issuer = await StandInIssuer.start();
    org = await world.organization();
    const claimMatch = { issuer: issuer.url, subject: SUBJECT };
    const api = world.operator();
    identity = (await api.identities.create(org, { name: "terraform", claimMatch })).uid;
    await world.bind(org, identity, "owner");
    provider = await login();
  });
  after(() => issuer.stop());

  /** Read of a deleted resource: version 2 says so, version 1 has an empty list. */
  const isGone = async (read: Promise<Answer>) => {
    const error = await rejected(read);
    assert.equal(error.code, NOT_FOUND);
  };

  test("chainguard_group", async () => {
    const { groups } = provider;
    const made = await groups.create(org, { name: "team", description: "first" });
    assert.equal((await groups.get(made.uid)).description, "first");
    const mask = ["name", "description", "verified"];
    const change = { name: "team two", description: "", verified: false };
    const updated = await groups.update(made.uid, change, mask);
    assert.deepEqual([updated.name, updated.description], ["team two", ""]);
    await groups.delete(made.uid);
    await isGone(groups.get(made.uid));
    assert.equal((await rejected(groups.delete(made.uid))).code, NOT_FOUND);
  });

  test("chainguard_group of an organization, whose creator sees it after another login", async () => {
    const made = await provider.groups.create("", { name: world.name("organization") });
    const again = await login();
    const { items } = await again.call(groupsV1.Groups, "List", { id: made.uid });
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [made.uid],
    );
    await again.roleBindings.list({ uidp: { childrenOf: made.uid } });
  });

  test("chainguard_identity", async () => {
    const { identities } = provider;
    const rules = [
      { claimMatch: { issuer: "https://ci.example.com", subjectPattern: "job:.*" } },
      {
        claimMatch: {
          issuerPattern: "https://.*\\.example\\.com",
          subject: "job",
          audience: "wharf",
          claims: { team: "a" },
        },
      },
      {
        awsIdentity: {
          awsAccount: "123456789012",
          arn: "arn:aws:sts::123456789012:assumed-role/ci/job",
          userIdPattern: "^AROA.*$",
        },
      },
      { servicePrincipal: "SERVICE_PRINCIPAL_COSIGNED" },
    ];
    for (const rule of rules) {
      const made = await identities.create(org, { name: "ci", description: "CI", ...rule });
      const read = await identities.get(made.uid);
      assert.deepEqual(read, made);
      for (const [kind, given] of Object.entries(rule)) {
        if (typeof given === "string") assert.equal(read[kind], given);
        else assert.partialDeepStrictEqual(read[kind], given);
      }
      const updated = await identities.update(made.uid, { ...made, description: "" }, EVERYTHING);
      assert.equal(updated.description, "");
      await identities.delete(made.uid);
      await isGone(identities.get(made.uid));
    }
  });

  test("chainguard_role and chainguard_rolebinding", async () => {
    const { roles, roleBindings } = provider;
    const role = await roles.create(org, {
      name: "reader",
      capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"],
    });
    assert.deepEqual(await roles.get(role.uid), role);
    const capabilities = ["CAP_REPO_LIST"];
    const updated = await roles.update(role.uid, { name: "reader", capabilities }, EVERYTHING);
    assert.deepEqual(updated.capabilities, capabilities);
    const binding = await roleBindings.create(org, { identityUid: identity, roleUid: role.uid });
    const read = await roleBindings.get(binding.uid);
    assert.deepEqual([read.identityUid, read.roleUid, read.group.uid], [identity, role.uid, org]);
    const viewer = { identityUid: identity, roleUid: roleNamed("viewer") };
    const moved = await roleBindings.update(binding.uid, viewer, EVERYTHING);
    assert.equal(moved.roleUid, viewer.roleUid);
    await roleBindings.delete(binding.uid);
    await isGone(roleBindings.get(binding.uid));
    await roles.delete(role.uid);
    await isGone(roles.get(role.uid));
  });

  test("chainguard_identity_provider", async () => {
    const { identityProviders } = provider;
    const oidc = {
      issuer: "https://login.example.com",
      clientId: "wharf",
      clientSecret: "secret",
      additionalScopes: ["groups", "email"],
    };
    const given = { name: "corp", defaultRole: roleNamed("viewer"), oidc };
    const made = await identityProviders.create(org, given);
    const read = await identityProviders.get(made.uid);
    assert.deepEqual(read.oidc.additionalScopes, ["groups", "email"], "in their order");
    assert.ok(!JSON.stringify([made, read]).includes("secret"));
    const change = { ...given, description: "sign-in" };
    const updated = await identityProviders.update(made.uid, change, EVERYTHING);
    assert.equal(updated.description, "sign-in");
    await identityProviders.delete(made.uid);
    await isGone(identityProviders.get(made.uid));
  });

  test("chainguard_account_associations", async () => {
    const { accountAssociations } = provider;
    const group = await world.group(org);
    const given = { name: "clouds", amazon: { account: "123456789012" } };
    const made = await accountAssociations.create(group, given);
    assert.equal(made.uid, group, "known by its group");
    assert.deepEqual((await accountAssociations.get(group)).amazon, given.amazon);
    const google = { projectId: "acme-prod", projectNumber: "42" };
    const change = { name: "clouds", google };
    const updated = await accountAssociations.update(group, change, EVERYTHING);
    assert.deepEqual([updated.google, updated.amazon ?? null], [google, null]);
    await accountAssociations.delete(group);
    await isGone(accountAssociations.get(group));
  });

  test("chainguard_group_invite", async () => {
    const invite = { roleUid: roleNamed("viewer"), ttl: "3600s", email: "ada@acme.example" };
    const made = await provider.groupInvites.create(org, invite);
    assert.ok(made.code, "the state keeps the code of the creation");
    assert.equal((await provider.groupInvites.get(made.uid)).email, invite.email);
    const { items } = await provider.call(groupInvitesV1.GroupInvites, "List", { id: made.uid });
    assert.equal(items.length, 1, "older versions read by list");
    await provider.groupInvites.delete(made.uid);
    await isGone(provider.groupInvites.get(made.uid));
  });

  /** A repo as the provider creates it, read as it reads. */
  const imageRepo = async (name: string) => {
    const { registry } = provider.v1;
    const repo = { name, bundles: [], readme: "# App\n", catalogTier: "BASE", aliases: [] };
    return (await registry.createRepo({ parentId: org, repo })).id as string;
  };

  test("chainguard_image_repo", async () => {
    const { registry } = provider.v1;
    const id = await imageRepo("app");
    const read = async () => (await registry.listRepos({ id })).items;
    const [first] = await read();
    assert.deepEqual([first.name, first.readme, first.catalogTier], ["app", "# App\n", "BASE"]);
    const change = { id, name: "app", bundles: ["base"], readme: "# App 2\n", aliases: ["a:b"] };
    await registry.updateRepo(change);
    const [second, ...others] = await read();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [second.readme, second.bundles, second.aliases],
      ["# App 2\n", ["base"], ["a:b"]],
    );
    await registry.deleteRepo({ id });
    assert.deepEqual(await read(), []);
  });

  test("chainguard_image_tag, which sends no digest", async () => {
    const { registry } = provider.v1;
    const repoId = await imageRepo("tagged");
    const created = (tag: object) => registry.createTag({ repoId, tag });
    assert.equal((await rejected(created({ name: "1.0", bundles: [] }))).code, 3, "no such image");
    await world.operator().tags.create(repoId, { name: "1.0", digest: digest(1) });
    const { id } = await created({ name: "1.0", bundles: [] });
    await registry.updateTag({ id, name: "1.0", bundles: ["fips"] });
    const { items } = await registry.listTags({ id });
    assert.deepEqual(
      items.map((tag: Answer) => [tag.id, tag.name, tag.bundles, tag.digest]),
      [[id, "1.0", ["fips"], digest(1)]],
    );
    await registry.deleteTag({ id });
    assert.deepEqual((await registry.listTags({ id })).items, []);
  });

  test("chainguard_image_repo_deployment", async () => {
    const { registry } = provider.v1;
    const repoId = await imageRepo("deployed");
    assert.equal((await rejected(registry.getDeployment({ repoId }))).code, NOT_FOUND);
    const charts = [
      { repo: "oci://charts.example.com/podinfo", source: "https://git.example.com/podinfo" },
      { repo: "https://charts.example.com/kyverno/" },
    ];
    const made = await registry.createDeployment({ parentId: repoId, charts });
    assert.deepEqual(made, { id: repoId, charts });
    assert.deepEqual(await registry.getDeployment({ repoId }), made);
    const [first] = charts;
    await registry.updateDeployment({ repoId, charts: [first] });
    assert.deepEqual((await registry.getDeployment({ repoId })).charts, [first]);
    await registry.updateDeployment({ repoId, charts: [] });
    assert.deepEqual(
      (await registry.getDeployment({ repoId })).charts,
      [],
      "dropped from the state",
    );
    await registry.updateDeployment({ repoId, charts });
    assert.deepEqual((await registry.getDeployment({ repoId })).charts, charts, "created again");
  });

  test("data sources", async () => {
    const name = world.name("found");
    const group = await world.group(org, name);
    const { groups } = await provider.groups.list({ name, uidp: {}, pageSize: 50 });
    assert.deepEqual(
      groups.map(({ uid }: Answer) => uid),
      [group],
    );
    const { roles } = await provider.roles.list({ name: "viewer", pageSize: 50 });
    assert.equal(roles[0].uid, roleNamed("viewer"));

    const someone = { issuer: "https://issuer.example.com", subject: "nobody" };
    const unknown = provider.call(identitiesV1.Identities, "Lookup", someone);
    assert.equal((await rejected(unknown)).code, NOT_FOUND);

    const repo = await imageRepo("listed");
    const { repos } = await provider.repos.list({ name: "listed", uidp: { childrenOf: org } });
    assert.deepEqual(
      repos.map(({ uid }: Answer) => uid),
      [repo],
    );
    assert.equal((await provider.repos.getRepoReadme({ uid: repo })).content, "# App\n");

    const { registry } = provider.v1;
    const missing = registry.getPackageVersionMetadata({ package: "unknown" });
    assert.equal((await rejected(missing)).code, NOT_FOUND, "an empty result for the provider");
    const versions = [
      { version: "3.14", exists: true, fips: true },
      { version: "3.9", exists: true, eolDate: "2025-10-31" },
    ];
    const python = { name: "python", gracePeriodMonths: 6, latestVersion: "3.14", versions };
    await world.operator().call(PackagesService, "CreatePackage", { package: python });
    const found = await registry.getPackageVersionMetadata({ package: "python" });
    assert.deepEqual([found.latestVersion, found.gracePeriodMonths], ["3.14", 6]);
    assert.deepEqual(
      [found.versions[0].version, found.eolVersions[0].eolDate],
      ["3.14", "2025-10-31"],
    );
  });

  test("chainguard_subscription", async () => {
    const { v1 } = provider;
    const sink = "https://events.example.com/hook";
    const made = await v1.subscriptions.create(org, { sink });
    const read = async () => (await v1.subscriptions.list({ id: made.id })).items;
    assert.deepEqual(await read(), [{ id: made.id, sink }]);
    assert.ok(made.id.startsWith(`${org}/`), "the parent is read from the id");
    await v1.subscriptions.delete(made.id);
    assert.deepEqual(await read(), []);
  });

  test("builds are not supported", async () => {
    for (const path of [
      "chainguard.platform.registry.Apko/BuildImage",
      "chainguard.platform.registry.Apko/ResolveConfig",
    ]) {
      const { url, token } = provider;
      const call = sendBytes(url, token, `/${path}`, Buffer.alloc(0));
      await assert.rejects(call, { code: UNIMPLEMENTED }, path);
    }
  });
});
