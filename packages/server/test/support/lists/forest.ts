/** A tree with folders on both sides of the sizes that plans depend on, and resources of many kinds in them. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  AdvisorySchema,
  GroupSchema,
  IdentitySchema,
  newChildUid,
  newRootUid,
  RepoSchema,
  RoleBindingSchema,
  TagSchema,
} from "@wharf/contract";
import { RESOURCES } from "../../../src/app/resources.ts";
import type { Store } from "../../../src/store/db/store.ts";
import type { ResourceTable } from "../../../src/store/resources/resource-table.ts";
import type { ResourceRow } from "../../../src/store/resources/rows.ts";

const { groups, identities, roleBindings, repos, tags, advisories } = RESOURCES;

export const FOREST_ROOT = newRootUid();

/** The folders of the tree: how many rows of each kind are in them, and in how many groups. */
export const FOREST_FOLDERS = [
  { name: "few", rows: 10, parents: 0 },
  { name: "at the limit", rows: 500, parents: 0 },
  { name: "above the limit", rows: 501, parents: 0 },
  { name: "many children", rows: 4_000, parents: 0 },
  { name: "many descendants", rows: 4_000, parents: 80 },
].map((folder) => ({ ...folder, uid: newChildUid(FOREST_ROOT) }));

const DIRECT_ROWS = 1_000;

/** The role of all role bindings, and the digest of all tags: filters that every row meets. */
export const COMMON_ROLE = newRootUid();
export const COMMON_DIGEST = `sha256:${"0".repeat(64)}`;

interface Made {
  readonly parent: string;
  readonly at: number;
  readonly name: string;
  readonly times: {
    readonly createTime: ReturnType<typeof timestampFromMs>;
    readonly updateTime: ReturnType<typeof timestampFromMs>;
  };
}

type Rows = (made: Made) => ResourceRow[];

/** The kinds of resources, and the rows of each in a group. */
export const FOREST_KINDS: ReadonlyMap<string, { table: ResourceTable; rows: Rows }> = new Map([
  [
    "groups",
    {
      table: groups.table,
      rows: ({ parent, name, times }) => [
        groups.toRow(create(GroupSchema, { uid: newChildUid(parent), name, ...times })),
      ],
    },
  ],
  [
    "identities",
    {
      table: identities.table,
      rows: ({ parent, name, times }) => [
        identities.toRow(create(IdentitySchema, { uid: newChildUid(parent), name, ...times })),
      ],
    },
  ],
  [
    "role bindings",
    {
      table: roleBindings.table,
      rows: ({ parent, times }) => {
        const identityUid = newRootUid();
        const uid = newChildUid(parent);
        const binding = { uid, identityUid, roleUid: COMMON_ROLE, ...times };
        return [roleBindings.toRow(create(RoleBindingSchema, binding))];
      },
    },
  ],
  [
    "repos",
    {
      table: repos.table,
      rows: ({ parent, name, times }) => [
        repos.toRow(create(RepoSchema, { uid: newChildUid(parent), name, ...times })),
      ],
    },
  ],
  [
    "tags",
    {
      table: tags.table,
      rows: ({ parent, at, name, times }) => {
        const tag = { name: at % 2 === 0 ? name : `${name}-20260101`, digest: COMMON_DIGEST };
        // The parents of tags are repos, one in each group.
        const uid = newChildUid(`${parent}/${"0".repeat(16)}`);
        return [tags.toRow(create(TagSchema, { uid, ...tag, ...times }))];
      },
    },
  ],
  [
    "advisories",
    {
      table: advisories.table,
      rows: ({ parent, name, times }) => {
        const advisory = { uid: newChildUid(parent), advisoryId: name, ...times };
        return [advisories.toRow(create(AdvisorySchema, advisory))];
      },
    },
  ],
]);

/** Rows in one transaction. */
const BATCH_SIZE = 2_000;

/** Fills a store with rows of a kind. The rows of a folder are together in every order. */
export async function plantForest(store: Store, kind: string): Promise<void> {
  const known = FOREST_KINDS.get(kind);
  if (known === undefined) throw new Error(`no kind ${kind}`);
  const { table, rows } = known;
  const scopes = kind === "groups" ? [FOREST_ROOT, ...FOREST_FOLDERS.map(({ uid }) => uid)] : [];
  const made = [
    ...scopes.map((uid) => groups.toRow(create(GroupSchema, { uid, name: "scope" }))),
    ...madeRows().flatMap(rows),
  ];
  for (let at = 0; at < made.length; at += BATCH_SIZE) {
    const some = made.slice(at, at + BATCH_SIZE);
    await store.write(async (tx) => {
      await table.insertAll(tx, some);
    });
  }
}

function madeRows(): Made[] {
  const made: Made[] = [];
  const add = (parent: string, rank: number) => {
    const at = made.length;
    const time = timestampFromMs(Date.UTC(2026, rank, 1) + ((at * 7_919) % 1_000_003));
    const name = `${rank}-${String((at * 7_919) % 1_000_003).padStart(7, "0")}`;
    made.push({ parent, at, name, times: { createTime: time, updateTime: time } });
  };
  for (let at = 0; at < DIRECT_ROWS; at++) add(FOREST_ROOT, at % 8);
  for (const [at, { uid, rows, parents }] of FOREST_FOLDERS.entries()) {
    const inside = Array.from({ length: parents }, () => newChildUid(uid));
    for (let row = 0; row < rows; row++) add(inside[row % parents] ?? uid, 7 - at);
  }
  return made;
}
