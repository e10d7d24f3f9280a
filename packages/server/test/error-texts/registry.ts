import { type ErrorText, failed, type Ground, invalid, plain } from "./table.ts";

const DIGEST = `sha256:${"1".repeat(64)}`;

const repos =
  (more: object): ErrorText[1] =>
  ({ api, world, org }) =>
    api.repos.create(org, { name: world.name("repo"), ...more });
const tags =
  (tag: object): ErrorText[1] =>
  async ({ api, repo }) =>
    api.tags.create(await repo(), tag);
const readme =
  (content: string): ErrorText[1] =>
  async ({ api, repo }) =>
    api.repos.updateRepoReadme({
      repoReadme: { uid: await repo(), content },
    });
async function synced(
  { api, world, org }: Ground,
  source: string,
  more: object = {},
): Promise<string> {
  const expirationTime = new Date(Date.now() + 86_400_000).toISOString();
  const repo = { name: world.name("synced"), syncConfig: { source, expirationTime }, ...more };
  return (await api.repos.create(org, repo)).uid;
}

/** Errors of repos, tags, READMEs and images. */
export const REGISTRY: readonly ErrorText[] = [
  [
    "the name of a repo does not match",
    repos({ name: "Upper" }),
    invalid({ name: 'name must match "^[a-z0-9 ._/-]{1,}$"' }),
  ],
  [
    "a repo exists",
    async ({ api, org, world }) => {
      const group = await world.group(org);
      await api.repos.create(group, { name: "app" });
      await api.repos.create(group, { name: "app" });
    },
    plain("ALREADY_EXISTS", 'Repo "app" exists'),
  ],
  [
    "an alias does not match",
    repos({ aliases: ["no-tag"] }),
    invalid({
      aliases: 'aliases must match "^[a-zA-Z0-9_.\\-/]*[a-zA-Z0-9_.\\-]:[a-zA-Z0-9_.\\-]+$"',
    }),
  ],
  [
    "a bundle does not match",
    repos({ bundles: ["unheard-of"] }),
    invalid({
      bundles:
        'bundles must match "^(application|base|byol|ai|ai-gpu|featured|fips|commercial|emeritoss)$"',
    }),
  ],
  [
    "an active tag does not match",
    repos({ activeTags: ["-x"] }),
    invalid({ activeTags: 'activeTags must match "^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$"' }),
  ],
  [
    "a repo has too many aliases",
    repos({ aliases: Array.from({ length: 101 }, (_, at) => `a:${at}`) }),
    invalid({ aliases: "aliases must have at most 100 entries" }),
  ],
  [
    "a catalog tier is unknown",
    repos({ catalogTier: 9 }),
    invalid({ catalogTier: "catalogTier must be one of the known tiers" }),
  ],
  [
    "custom assembly is requested",
    repos({ customOverlay: { contents: { packages: ["curl"] } } }),
    failed("CUSTOM_ASSEMBLY_DISABLED", "custom assembly is not enabled here"),
  ],
  [
    "a synced repo overrides its source",
    async (ground) => {
      await synced(ground, await ground.repo(), { bundles: ["fips"] });
    },
    invalid({ bundles: "bundles is inherited from the repo that this one is synced from" }),
  ],
  [
    "a source is synced itself",
    async (ground) => {
      await synced(ground, await synced(ground, await ground.repo()));
    },
    invalid({ "sync_config.source": "source must not be synced itself" }),
  ],
  [
    "a source becomes synced",
    async (ground) => {
      const source = await ground.repo();
      await synced(ground, source);
      await ground.api.repos.update(source, { syncConfig: { source: await ground.repo() } });
    },
    invalid({ "sync_config.source": "other repos are synced from this one" }),
  ],
  [
    "a source path does not exist",
    (ground) => synced(ground, "not/a/repo"),
    invalid({
      "sync_config.source":
        'there is no repo "not/a/repo": source must be a repo\'s uid or path, or its name in the same group',
    }),
  ],
  [
    "a source is missing",
    (ground) => synced(ground, ""),
    invalid({ "sync_config.source": "source is required" }),
  ],
  [
    "a source does not exist",
    (ground) => synced(ground, `${ground.org}/0123456789abcdef`),
    plain("NOT_FOUND", 'Repo "{uid}" does not exist'),
  ],
  [
    "the name of a tag does not match",
    tags({ name: "-x", digest: DIGEST }),
    invalid({ name: 'name must match "^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$"' }),
  ],
  [
    "the name of a tag is missing",
    tags({ digest: DIGEST }),
    invalid({ name: 'name must match "^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$"' }),
  ],
  [
    "a digest does not match",
    tags({ name: "x", digest: "sha256:0" }),
    invalid({ digest: 'digest must match "^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$"' }),
  ],
  [
    "the bundle of a tag does not match",
    tags({ name: "x", digest: DIGEST, bundles: ["unheard-of"] }),
    invalid({
      bundles:
        'bundles must match "^(application|base|byol|ai|ai-gpu|featured|fips|commercial|emeritoss)$"',
    }),
  ],
  [
    "a repo of a tag does not exist",
    ({ api, org }) => api.tags.create(`${org}/0123456789abcdef`, { name: "x", digest: DIGEST }),
    plain("NOT_FOUND", 'Repo "{uid}" does not exist'),
  ],
  [
    "a tag is renamed",
    async ({ api, repo }) => {
      const tag = await api.v1.registry.createTag({
        repoId: await repo(),
        tag: { name: "x", digest: DIGEST },
      });
      await api.v1.registry.updateTag({ ...tag, name: "y" });
    },
    invalid({ name: "name cannot be changed" }),
  ],
  [
    "tags are immutable",
    async ({ api, world, org, repo }) => {
      const registryId = await world.group(org);
      await api.v1.registry.updateRegistrySettings({ registryId, uniqueTags: true });
      const uid = await repo(registryId);
      for (const digit of ["1", "2"])
        await api.tags.create(uid, { name: "1.0", digest: `sha256:${digit.repeat(64)}` });
    },
    failed("TAG_NOT_MOVABLE", 'tags are unique here: "1.0" cannot move to another image'),
  ],
  [
    "a rule makes a tag immutable",
    async ({ api, world, repo }) => {
      const group = await world.organization("releasing");
      await api.tagRules.create(group, { name: "releases", tags: ["v*"], immutable: true });
      const uid = await repo(group);
      for (const digit of ["1", "2"])
        await api.tags.create(uid, { name: "v1", digest: `sha256:${digit.repeat(64)}` });
    },
    failed(
      "TAG_IMMUTABLE",
      'the tag "v1" is immutable by the rule "releases" of releasing: it cannot move to another image',
    ),
  ],
  [
    "a rule protects a tag",
    async ({ api, world, repo }) => {
      const group = await world.organization("protecting");
      await api.tagRules.create(group, { name: "releases", tags: ["v*"], protected: true });
      const tag = await api.tags.create(await repo(group), { name: "v1", digest: DIGEST });
      await api.tags.delete(tag.uid);
    },
    failed(
      "TAG_PROTECTED",
      'the tag "v1" is protected by the rule "releases" of protecting: it cannot be deleted',
    ),
  ],
  [
    "a README is too long",
    readme("x".repeat(1024 * 1024 + 1)),
    invalid({ content: "content must have at most 1048576 characters" }),
  ],
  [
    "a README has unsafe HTML",
    readme("# Title\n<script>"),
    invalid({ content: 'content must hold safe HTML only: line 2 has "<script>"' }),
  ],
  [
    "a README has an unsafe link",
    readme("# Title\n[x](javascript:alert(1))"),
    invalid({
      content:
        'content must hold links to http, https and mailto only: line 2 has "javascript:alert(1))"',
    }),
  ],
  [
    "a README of v1 has unsafe HTML",
    async ({ api, repo }) => {
      await api.v1.registry.updateRepo({ id: await repo(), name: "x", readme: "<script>" });
    },
    invalid({ readme: 'readme must hold safe HTML only: line 1 has "<script>"' }),
  ],
  [
    "the digest of an image is malformed",
    async ({ api, repo }) => api.images.getSize({ repoUid: await repo(), digest: "nonsense" }),
    invalid({ digest: 'digest must match "^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$"' }),
  ],
  [
    "an image does not exist",
    async ({ api, repo }) => api.images.getSize({ repoUid: await repo(), digest: DIGEST }),
    plain(
      "NOT_FOUND",
      'Image "{uid}@sha256:1111111111111111111111111111111111111111111111111111111111111111" does not exist',
    ),
  ],
  [
    "an image configuration does not exist",
    async ({ api, repo }) =>
      api.v1.registry.getImageConfig({ repoId: await repo(), digest: DIGEST }),
    plain(
      "NOT_FOUND",
      'Image "{uid}@sha256:1111111111111111111111111111111111111111111111111111111111111111" does not exist',
    ),
  ],
  [
    "no registry is attached",
    ({ rest }) => rest("POST", "/registry/v2beta1/registries:reconcile", {}),
    failed("NO_REGISTRY", "no registry is attached: set --registry-urls"),
  ],
  [
    "the id of an account is too large",
    ({ rest, org }) =>
      rest("POST", `/registry/v1/repos/${org}`, {
        name: "x",
        customOverlay: { accounts: { users: [{ gid: 2 ** 31 }] } },
      }),
    invalid({ "customOverlay.accounts.users[0]": "gid must be at most 2147483647" }),
  ],
];
