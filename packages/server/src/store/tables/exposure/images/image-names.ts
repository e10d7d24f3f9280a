import { ancestorsOf } from "@wharf/contract";
import type { Reader } from "../../../db/connection.ts";

/** The names under which people know images: paths of repos, and tags. */

/** Names of tags that one image is returned with. */
const MAX_TAGS = 100;

/** An image by its place. */
export interface ImageKey {
  readonly repo: string;
  readonly digest: string;
}

/** The paths of repos: the names of their groups and their own, joined by slashes. */
export async function repoPaths(
  reader: Reader,
  uids: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const distinct = [...new Set(uids)];
  const above = [...new Set(distinct.flatMap(ancestorsOf))];
  const groups = await namesOf(reader, "groups", above);
  const repos = await namesOf(reader, "repos", distinct);
  const pathOf = (uid: string) =>
    [
      ...ancestorsOf(uid)
        .reverse()
        .map((group) => groups.get(group) ?? group),
      repos.get(uid) ?? uid,
    ].join("/");
  return new Map(distinct.map((uid) => [uid, pathOf(uid)]));
}

/** The names of groups or repos, by their uids. */
export async function namesOf(
  reader: Reader,
  table: "groups" | "repos",
  uids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT uid, name FROM ${table} WHERE uid IN (${reader.dialect.texts})`;
  return new Map(await reader.arrays<readonly [string, string]>(sql, JSON.stringify(uids)));
}

function keyOf({ repo, digest }: ImageKey): string {
  return `${repo} ${digest}`;
}

export interface ImageNames {
  readonly repoPath: string;
  readonly tags: string[];
}

/** The names of images: the paths of their repos, and their tags. */
export async function namesOfImages(
  reader: Reader,
  images: readonly ImageKey[],
): Promise<(image: ImageKey) => ImageNames> {
  const paths = await repoPaths(
    reader,
    images.map(({ repo }) => repo),
  );
  const tags = await tagsOfImages(reader, images);
  return (image) => ({
    repoPath: paths.get(image.repo) ?? image.repo,
    tags: tags.get(keyOf(image)) ?? [],
  });
}

/** The tags of images and of the indexes that contain them, by `keyOf`, at most 100 of each, by name. */
async function tagsOfImages(
  reader: Reader,
  images: readonly ImageKey[],
): Promise<ReadonlyMap<string, string[]>> {
  const keys = new Map(images.map((image) => [keyOf(image), [image.repo, image.digest]]));
  const tuples = reader.dialect.tuples("repo", "digest");
  const json = JSON.stringify([...keys.values()]);
  const rows = await reader.arrays<readonly [string, string, string]>(
    `SELECT image.repo, image.digest, tags.name FROM (${tuples}) image
     JOIN tags ON tags.digest = image.digest AND tags.parent = image.repo
     UNION SELECT image.repo, image.digest, tags.name FROM (${tuples}) image
     JOIN image_indexes ON image_indexes.repo = image.repo AND image_indexes.image = image.digest
     JOIN tags ON tags.digest = image_indexes.index_digest AND tags.parent = image.repo
     ORDER BY name`,
    json,
    json,
  );
  const found = Map.groupBy(rows, ([repo, digest]) => keyOf({ repo, digest }));
  return new Map(
    [...found].map(([key, some]) => [key, some.slice(0, MAX_TAGS).map(([, , name]) => name)]),
  );
}
