import { digest } from "./support/registry/oci-image.ts";
import { type Compared, differential } from "./support/versions/differential.ts";
import type { Facts } from "./support/versions/resources.ts";

const REPOS: Compared = {
  title: "repos",
  collection: "repos",
  toV1: ({ tier, ...facts }) => ({ ...facts, catalogTier: tier }),
  toV2: ({ tier, ...facts }) => ({
    ...facts,
    ...(tier && { catalogTier: tier === "UNKNOWN" ? `${PREFIX}UNSPECIFIED` : PREFIX + tier }),
  }),
  fromV1: ({ id, catalogTier, ...shown }) => repoFacts(id, catalogTier, shown),
  fromV2({ uid, catalogTier, ...shown }) {
    const tier = catalogTier.slice(PREFIX.length);
    return repoFacts(uid, tier === "UNSPECIFIED" ? "UNKNOWN" : tier, shown);
  },
  findsByName: true,
  async prepare(world) {
    return {
      parent: await world.organization(),
      sample: (number) => ({
        name: `team/app-${number}`,
        description: "of some use",
        tier: ["APPLICATION", "BASE", "FIPS", "AI", "DEVTOOLS", "COMMERCIAL"][number % 6],
        bundles: ["featured"],
        aliases: ["registry.example.com/app:1"],
        activeTags: ["latest", "1.27"],
      }),
      change: { description: "of other use" },
      // No two repos of a group have one name.
      required: ["name"],
      reset: { tier: "UNKNOWN", bundles: [], aliases: [], activeTags: [] },
      invalid: { bundles: ["no such bundle"] },
    };
  },
};

const PREFIX = "CATALOG_TIER_";

function repoFacts(id: string, tier: string, shown: Facts): Facts {
  const { name, description, bundles, aliases, activeTags, createTime } = shown;
  return { id, name, description, tier, bundles, aliases, activeTags, createTime };
}

const TAGS: Compared = {
  title: "tags",
  collection: "tags",
  toV1: (facts) => facts,
  toV2: (facts) => facts,
  fromV1: ({ lastUpdated, ...facts }) => ({ ...facts, updatedAt: lastUpdated }),
  fromV2({ uid, createTime: _, updateTime, ...facts }) {
    return { id: uid, ...facts, updatedAt: updateTime };
  },
  findsByName: true,
  // Version 2 has no update: making a tag again is one.
  neverChanges: true,
  async prepare(world) {
    const org = await world.organization();
    return {
      parent: (await world.operator().repos.create(org, { name: "app" })).uid,
      sample: (number) => ({
        name: `1.${number}`,
        digest: digest(number),
        deprecated: number % 2 === 0,
        bundles: ["fips"],
      }),
      change: {},
      reset: {},
      invalid: { digest: "nonsense" },
    };
  },
};

differential("repos and tags", [REPOS, TAGS]);
