import { type Compared, differential } from "./support/versions/differential.ts";
import type { Facts } from "./support/versions/resources.ts";

const GROUPS: Compared = {
  title: "groups",
  collection: "groups",
  toV1: (facts) => facts,
  toV2: (facts) => facts,
  fromV1: groupFacts,
  fromV2: ({ uid, ...shown }) => groupFacts({ id: uid, ...shown }),
  replaced: ["name", "description", "resource_limits", "verified", "kind"],
  findsByName: true,
  async prepare(world) {
    return {
      parent: await world.organization(),
      sample: (number) => ({
        name: `group ${number}`,
        description: "of some use",
        resourceLimits: { repositories: number, idps: 1 },
      }),
      change: { name: "another" },
      reset: { description: "", resourceLimits: {} },
      invalid: { name: "No/Name" },
    };
  },
};

function groupFacts({ createTime: _created, updateTime: _updated, ...facts }: Facts): Facts {
  return facts;
}

const ROLES: Compared = {
  title: "roles",
  collection: "roles",
  toV1: (facts) => facts,
  toV2: ({ capabilities, ...facts }) => ({ ...facts, capabilities: capabilities?.map(enumName) }),
  fromV1: (shown) => shown,
  fromV2: ({ uid, name, description, capabilities }) => {
    return { id: uid, name, description, capabilities: capabilities.map(dottedName) };
  },
  findsByName: true,
  async prepare(world) {
    return {
      parent: await world.organization(),
      sample: (number) => ({
        name: `role ${number}`,
        description: "of some use",
        capabilities: ["groups.list", "roles.list"],
      }),
      change: { name: "another", capabilities: ["groups.list"] },
      reset: { description: "" },
      invalid: { capabilities: [] },
    };
  },
};

const ENUM_NAMES: Readonly<Record<string, string>> = {
  "groups.list": "CAP_IAM_GROUPS_LIST",
  "roles.list": "CAP_IAM_ROLES_LIST",
};

function enumName(dotted: string): string {
  return ENUM_NAMES[dotted] as string;
}

function dottedName(name: string): string | undefined {
  return Object.keys(ENUM_NAMES).find((dotted) => ENUM_NAMES[dotted] === name);
}

differential("groups and roles", [GROUPS, ROLES]);
