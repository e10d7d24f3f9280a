import assert from "node:assert/strict";
import { basic, OciClient } from "../../support/registry/oci-client.ts";
import { until } from "../../support/until.ts";
import type { Recorder } from "../recorder.ts";

/** Repositories, tags and images of the registry of this server. */
export async function registry(record: Recorder): Promise<void> {
  const { world } = record;
  const { organization } = world.registry;
  const client = await pusher(record);
  const repos = (method: string) => `ReposService_${method}`;
  const { uid: repo } = await record.body(repos("CreateRepo"), {
    path: organization,
    body: { name: "app", description: "The app" },
  });
  await record.call(repos("GetRepo"), { path: repo });
  await record.call(repos("ListRepos"), { query: { "uidp.children_of": organization } });
  await record.call(repos("UpdateRepo"), { path: repo, body: { description: "Our app" } });
  await record.call(repos("UpdateRepoReadme"), {
    path: repo,
    body: { content: "# App\n\nRuns as a user without rights." },
  });
  await record.call(repos("GetRepoReadme"), { path: repo });
  await deployments(record, repo);
  const image = await client.image("acme/app", "1.0", "first");
  const { uid: tag } = await record.body("TagsService_CreateTag", {
    path: repo,
    body: { name: "stable", digest: image.digest },
  });
  await record.call("TagsService_GetTag", { path: tag });
  await record.call("TagsService_ListTags", {
    query: { "uidp.children_of": repo, order_by: "name" },
  });
  await record.call("TagsService_ListTagHistory", { path: tag });
  await tagRules(record, organization);
  await retention(record, organization);
  await images(record, repo, image.digest);
  await settings(record, organization);
  await storage(record);
  await record.call("RegistryUsageService_GetRegistryUsage", {
    path: organization,
    query: { days: "30" },
  });
  await packages(record);
  await absent(record, repo, organization);
  await record.call("TagsService_DeleteTag", { path: tag });
  await record.call("DeletedTagsService_ListDeletedTags", { path: repo });
  await record.call("DeletedTagsService_RestoreTag", { path: repo, body: { name: "stable" } });
  await record.call("ImagesService_DeleteImage", { path: [repo, image.digest] });
  await record.call(repos("DeleteRepo"), { path: repo });
}

export async function pusher({ world }: Recorder): Promise<OciClient> {
  const uid = await world.registry.holder("pusher", "registry.push");
  return new OciClient(world.server.url, `Bearer ${await world.signer.token(uid)}`);
}

/** Sums over what is stored, by a preview of the collection of garbage. */
async function storage(record: Recorder): Promise<void> {
  const path = "/registry/v2beta1/storage";
  const status = async () => (await record.world.http.get(path)).body;
  // A collection follows the start.
  await until(async () => (await status()).collection.finishTime);
  await record.call("RegistryStorageService_CollectGarbage", { body: { dryRun: true } });
  await until(async () => (await status()).preview.finishTime);
  await record.call("RegistryStorageService_GetStorageStatus");
}

async function deployments(record: Recorder, repo: string): Promise<void> {
  const service = (method: string) => `DeploymentsService_${method}`;
  const charts = [
    { repo: "oci://charts.example.com/app", source: "https://git.example.com/acme/app" },
  ];
  await record.call(service("CreateDeployment"), { path: repo, body: { charts } });
  await record.call(service("GetDeployment"), { path: repo });
  await record.call(service("ListDeployments"), { query: { "uidp.ids": repo } });
  await record.call(service("UpdateDeployment"), { path: repo, body: { charts: [] } });
  await record.call(service("DeleteDeployment"), { path: repo });
}

async function tagRules(record: Recorder, group: string): Promise<void> {
  const service = (method: string) => `TagRulesService_${method}`;
  const { uid: path } = await record.body(service("CreateTagRule"), {
    path: group,
    body: { name: "releases", tags: ["v*"], immutable: true },
  });
  await record.call(service("GetTagRule"), { path });
  await record.call(service("ListTagRules"), { query: { "uidp.children_of": group } });
  await record.call(service("UpdateTagRule"), { path, body: { protected: true } });
  await record.call(service("DeleteTagRule"), { path });
}

async function retention(record: Recorder, path: string): Promise<void> {
  const service = (method: string) => `RetentionPoliciesService_${method}`;
  const keep = [{ name: "releases", tags: ["v*"] }];
  await record.call(service("CreateRetentionPolicy"), { path, body: { keep, announceDays: 7 } });
  await record.call(service("GetRetentionPolicy"), { path });
  await record.call(service("ListRetentionPolicies"), { query: { "uidp.ids": path } });
  await record.call(service("UpdateRetentionPolicy"), { path, body: { untaggedDays: 30 } });
  await record.call(service("PreviewRetention"), { path, body: {} });
  await record.call(service("DeleteRetentionPolicy"), { path });
}

async function images(record: Recorder, repo: string, digest: string): Promise<void> {
  const path = [repo, digest];
  await record.call("ImagesService_ListImages", { path: repo });
  await record.call("ImagesService_ListImageLocations", { path: repo });
  await record.call("ImagesService_GetArchitectures", { path });
  await record.call("ImagesService_GetImageConfig", { path });
  await record.call("ImagesService_GetImageManifest", { path });
  await record.call("ImagesService_GetSize", { path });
  await record.call("V1_Registry_GetArchs", { path });
  await record.call("V1_Registry_GetImageConfig", { path });
  await record.call("V1_Registry_GetSize", { path });
}

async function settings(record: Recorder, group: string): Promise<void> {
  const service = (method: string) => `RegistrySettingsService_${method}`;
  await record.call(service("UpdateRegistrySettings"), {
    path: group,
    body: { eolGracePeriod: true },
  });
  await record.call(service("GetRegistrySettings"), { path: group });
  await record.call("V1_Registry_UpdateRegistrySettings", {
    path: group,
    body: { eolGracePeriod: true },
  });
  await record.call("V1_Registry_GetRegistrySettings", { path: group });
}

async function packages(record: Recorder): Promise<void> {
  const service = (method: string) => `PackagesService_${method}`;
  const { uid } = await record.body(service("CreatePackage"), {
    body: { name: "nginx", versions: [{ version: "1.27", exists: true, eolDate: "2026-12-31" }] },
  });
  await record.call(service("GetPackage"), { path: uid });
  await record.call(service("ListPackages"));
  await record.call("V1_Registry_GetPackageVersionMetadata", { path: "nginx" });
  await record.call(service("UpdatePackage"), {
    path: uid,
    body: { versions: [{ version: "1.29", exists: true }] },
  });
  await record.call(service("DeletePackage"), { path: uid });
}

/** Products of the public contract that clients ask for, and that this server does not have. */
async function absent(record: Recorder, repo: string, parent: string): Promise<void> {
  for (const kind of ["Ecosystem", "Library", "Package", "Skill"])
    await record.call(`V1_${kind}Entitlements_List`, { query: { parent_id: parent } });
  for (const method of [
    ...["ListEntitlements", "ListEntitlementCatalogImages", "ListEntitlementImages"],
    ...["GetEffectiveEntitlements", "GetFeatures", "Summary"],
  ])
    await record.call(`V1_Entitlements_${method}`, { path: parent });
  await record.call("V1_Registry_GetSyncStatus", { path: repo });
  await record.call("V1_Registry_GetUpdateStatus", { path: repo });
  await record.call("V1_Registry_ListSyncStatuses");
}

/** Version 1 of repositories and tags. */
export async function registryV1(record: Recorder): Promise<void> {
  const { organization } = record.world.registry;
  const service = (method: string) => `V1_Registry_${method}`;
  const { id } = await record.body(service("CreateRepo"), {
    path: organization,
    body: { name: "app", readme: "# App" },
  });
  await record.call(service("ListRepos"), { query: { id } });
  await record.call(service("UpdateRepo"), {
    path: id,
    body: { name: "app", readme: "# App", description: "Our app" },
  });
  await record.call(service("GetRepoCountBySource"), { path: id });
  const charts = [{ repo: "oci://charts.example.com/app" }];
  await record.call(service("CreateDeployment"), { path: id, body: { charts } });
  await record.call(service("GetDeployment"), { path: id });
  await record.call(service("UpdateDeployment"), { path: id, body: { charts: [] } });
  const client = await pusher(record);
  const first = await client.image("acme/app", "1.0", "first");
  const second = await client.image("acme/app", "1.1", "second");
  const tag = await record.body(service("CreateTag"), {
    path: id,
    body: { name: "stable", digest: first.digest },
  });
  await record.call(service("UpdateTag"), {
    path: tag.id,
    body: { name: "stable", digest: second.digest },
  });
  await record.call(service("ListTags"), { query: { id: tag.id } });
  await record.call(service("ListTagHistory"), { path: tag.id });
  await record.call(service("GetRepoTagsSummary"), { path: id });
  await record.call(service("ListEolTags"), { query: { "uidp.children_of": id, name: "stable" } });
  await record.call(service("DeleteTag"), { path: tag.id });
  await record.call(service("DeleteRepo"), { path: id });
}

/** The distribution API, and its tokens. */
export async function distribution(record: Recorder): Promise<void> {
  const { world } = record;
  const name = "acme/app";
  const client = await pusher(record);
  const uid = await world.registry.holder("ci", "registry.push");
  const token = await world.signer.token(uid);
  const scope = `repository:${name}:pull,push`;
  const password = await world.registry.token(uid);
  const headers = { authorization: basic("_token", password) };
  for (const alias of ["", "Alias"]) {
    await record.call(`registryToken${alias}`, { query: { scope }, headers, token: "" });
    await record.call(`registryTokenForm${alias}`, {
      form: { grant_type: "password", username: "_token", password, scope: [scope] },
      token: "",
    });
  }
  const manifest = await client.manifestOf(name, "first");
  await record.call("registryPutManifest", {
    path: [name, "1.0"],
    body: manifest,
    token,
  });
  const { headers: pushed } = await record.call("registryGetManifest", {
    path: [name, "1.0"],
    headers: { accept: manifest.mediaType },
    token,
  });
  const digest = pushed.get("docker-content-digest") ?? "";
  const sbom = {
    ...manifest,
    artifactType: "application/spdx+json",
    subject: { mediaType: manifest.mediaType, digest, size: JSON.stringify(manifest).length },
  };
  const attached = await client.putManifest(name, "sbom", sbom);
  assert.equal(attached.status, 201, JSON.stringify(attached.body));
  await record.call("registryBase", { token });
  await record.call("registryTags", { path: name, token });
  await record.call("registryReferrers", { path: [name, digest], token });
  await record.call("tagHistory", { path: [name, "1.0"], headers, token: "" });
}
