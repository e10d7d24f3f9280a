import type { RetentionPolicy } from "@wharf/contract";
import type { Catalog } from "../../engine/catalog.ts";
import type { Reader } from "../../store/db/connection.ts";
import { type ManifestState, manifestStates } from "../../store/tables/registry/manifests.ts";
import {
  deletedTags,
  type ManifestPull,
  manifestPulls,
  type TagState,
  tagStates,
} from "../../store/tables/registry/retention.ts";
import { RepoTagRules } from "../tag-rules/enforcement.ts";

/** Rows read at a time. */
const BATCH_SIZE = 2_000;

/** The input of the evaluation of a policy: the state of one repo. */
export interface RepoState {
  readonly tags: readonly TagState[];
  readonly manifests: ReadonlyMap<string, ManifestState>;
  /** By digest: the last pull by each identity, if a rule says whose pulls count. */
  readonly pulls: ReadonlyMap<string, readonly ManifestPull[]>;
  /** By digest: until when a deleted tag can get it back. */
  readonly restorable: ReadonlyMap<string, number>;
  readonly isDeployed: boolean;
  readonly rules: RepoTagRules;
}

/** The state of a repo that applies to all of its tags. */
type Surroundings = Pick<RepoState, "isDeployed" | "rules">;

/** Reads a repo in pages: a few statements for thousands of tags. */
export async function readRepoState(
  catalog: Catalog,
  reader: Reader,
  repo: string,
  policy: RetentionPolicy,
  now: number,
): Promise<RepoState> {
  const limit = BATCH_SIZE;
  const tags = await allPages<TagState>((last) =>
    tagStates(reader, repo, { after: last?.name ?? "", limit }),
  );
  const manifests = await allPages<ManifestState>((last) =>
    manifestStates(reader, repo, { after: last?.digest ?? "", limit }),
  );
  const pulls = !needsPulls(policy)
    ? []
    : await allPages<ManifestPull>((after = ["", "", 0]) =>
        manifestPulls(reader, repo, { after, limit }),
      );
  const restorable = new Map<string, number>();
  for (const { digest, expires } of await allPages<{
    name: string;
    digest: string;
    expires: number;
  }>((last) => deletedTags(reader, repo, now, last?.name ?? "", limit)))
    restorable.set(digest, Math.max(expires, restorable.get(digest) ?? 0));
  return {
    ...(await readSurroundings(catalog, reader, repo)),
    tags,
    manifests: new Map(manifests.map((one) => [one.digest, one])),
    pulls: Map.groupBy(pulls, ([digest]) => digest),
    restorable,
  };
}

/** Reads the state of some tags of a repo: enough to decide about them again. */
export async function readTagsAgain(
  catalog: Catalog,
  reader: Reader,
  repo: string,
  policy: RetentionPolicy,
  names: readonly string[],
): Promise<RepoState> {
  const tags = await tagStates(reader, repo, { names });
  const digests = tags.map(({ digest }) => digest);
  const images = await manifestStates(reader, repo, { digests });
  const parts = images.flatMap(({ children }) => children);
  const manifests = [...(await manifestStates(reader, repo, { digests: parts })), ...images];
  const pulls = needsPulls(policy)
    ? await manifestPulls(reader, repo, { digests: [...digests, ...parts] })
    : [];
  return {
    ...(await readSurroundings(catalog, reader, repo)),
    tags,
    manifests: new Map(manifests.map((one) => [one.digest, one])),
    pulls: Map.groupBy(pulls, ([digest]) => digest),
    restorable: new Map(),
  };
}

async function readSurroundings(
  catalog: Catalog,
  reader: Reader,
  repo: string,
): Promise<Surroundings> {
  return {
    isDeployed: (await catalog.deployments.find(reader, repo)) !== undefined,
    rules: await RepoTagRules.read(catalog, reader, repo),
  };
}

function needsPulls({ keep }: RetentionPolicy): boolean {
  return keep.some(({ pulledBy, notPulledBy }) => pulledBy.length + notPulledBy.length > 0);
}

async function allPages<Row>(read: (last: Row | undefined) => Promise<Row[]>): Promise<Row[]> {
  const all: Row[] = [];
  for (let size = BATCH_SIZE; size === BATCH_SIZE; ) {
    const page = await read(all.at(-1));
    for (const row of page) all.push(row);
    size = page.length;
  }
  return all;
}
