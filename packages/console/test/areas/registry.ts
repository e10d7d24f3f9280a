import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  MANIFEST,
  RegistryStorage,
  type StoredImage,
} from "../../../server/test/support/registry/storage.ts";
import type { Area } from "../support/area.ts";
import type { ConsoleSite } from "../support/site.ts";

const DAY_MS = 86_400_000;

const README = `# shop-api

The API of the shop. **Runs anywhere** that speaks HTTP; see the [handbook](https://handbook.example.com/shop).

![build status](https://ci.example.com/badge.svg)

| variable | meaning |
|---|---|
| \`PORT\` | where it listens, 8080 unless given |
| \`DATABASE_URL\` | a PostgreSQL database |

\`\`\`sh
docker run -p 8080:8080 registry.example.com/acme/shop-api:1.4.2
\`\`\`

- [x] runs without root
- [ ] reads configuration from files

> Questions? Write to <shop@example.com>.
`;

const ATTACHED = {
  sbom: "application/spdx+json",
  signature: "application/vnd.dev.cosign.artifact.sig.v1+json",
  vex: "application/vnd.openvex+json",
} as const;

/** Fills a registry with images, moves a tag, and reports pushes and pulls of two weeks. */
async function fill(site: ConsoleSite, organization: string) {
  const { tracked } = site;
  const storage = new RegistryStorage(tracked.registry.storage);
  const labels = { "org.opencontainers.image.source": "https://git.example.com/acme/shop-api" };
  const image = storage.image("shop-api", "amd64", labels);
  const former = storage.index("former", ["amd64", "arm64"]);
  const index = storage.index("current", ["amd64", "arm64", "riscv64"]);
  for (const name of ["1.4.2", "1.4", "stable"]) storage.tag("acme/shop-api", name, image);
  storage.tag("acme/shop-api", "latest", former);
  for (const name of ["payments", "web/storefront", "jobs/mail-sender"]) {
    storage.tag(`acme/team/${name}`, "latest", storage.image(name));
  }
  await tracked.reconcile();
  storage.tag("acme/shop-api", "latest", index);
  await tracked.reconcile();
  const repo = (await tracked.repo("shop-api")) as string;
  const loose = storage.image("never tagged");
  const attached = Object.entries(ATTACHED).map(([name, type]) =>
    storage.attachment(name, index, type),
  );
  for (const one of [loose, ...attached]) storage.put("acme/shop-api", one);
  await report(
    site,
    [loose, ...attached].map((one) => pushOf(one)),
  );
  const activity = Array.from({ length: 40 }, (_, at) => activityOf(image, at));
  await report(site, activity);
  const { http } = site.world;
  const description = "The API of the shop: orders, carts and prices.";
  const changes = [
    await http.patch(`/registry/v2beta1/repos/${repo}`, {
      ...{ description, catalogTier: "CATALOG_TIER_APPLICATION" },
    }),
    await http.patch(`/registry/v2beta1/repos/${repo}/readme`, { content: README }),
  ];
  for (const { status, body } of changes) assert.equal(status, 200, JSON.stringify(body));
  const tags = await tracked.tags(repo);
  const tag = tags.find(({ name }) => name === "latest")?.uid ?? "";
  return { organization, repo, tag, image: image.digest, index: index.digest };
}

function pushOf({ digest }: StoredImage): object {
  const timestamp = new Date(Date.now() + 1_000).toISOString();
  const target = { repository: "acme/shop-api", mediaType: MANIFEST, digest };
  return { id: randomUUID(), timestamp, action: "push", target, request: {}, actor: {} };
}

/** A pull, or now and then a push, some days ago. */
function activityOf({ digest }: StoredImage, at: number): object {
  const action = at % 6 === 0 ? "push" : "pull";
  const timestamp = new Date(Date.now() - ((at * at) % 13) * DAY_MS - at * 60_000).toISOString();
  const target = { repository: "acme/shop-api", mediaType: MANIFEST, digest, tag: "1.4.2" };
  const request = { addr: "192.0.2.17:40112", useragent: "docker/28.1.1 go/go1.24" };
  return { id: randomUUID(), timestamp, action, target, request, actor: {} };
}

async function report({ tracked }: ConsoleSite, events: readonly object[]): Promise<void> {
  const { status } = await tracked.notify(events);
  assert.equal(status, 200);
}

export const REGISTRY: Area = {
  fill,
  screens: {
    repos: ({ organization }) => `repos/${organization}`,
    "repos-activity": ({ organization }) => `repos/${organization}?tab=activity`,
    storage: ({ organization }) => `storage/${organization}`,
    "storage-retention": ({ organization }) => `storage/${organization}?tab=retention`,
    "storage-upstreams": ({ organization }) => `storage/${organization}?tab=upstreams`,
    "repos-settings": ({ organization }) => `repos/${organization}?tab=settings`,
    repo: ({ repo }) => `repo/${repo}`,
    "repo-digests": ({ repo }) => `repo/${repo}?tab=images`,
    "repo-readme": ({ repo }) => `repo/${repo}?tab=readme`,
    "repo-activity": ({ repo }) => `repo/${repo}?tab=activity`,
    "repo-locations": ({ repo }) => `repo/${repo}?tab=locations`,
    tag: ({ tag }) => `tag/${tag}`,
    image: ({ repo, image }) => `image/${repo}/${image}`,
    "image-index": ({ repo, index }) => `image/${repo}/${index}`,
    registries: () => "registries",
  },
  empty: ["repos"],
};
