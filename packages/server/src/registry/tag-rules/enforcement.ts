import { ancestorsOf, depthOf, parentOf, type TagRule } from "@wharf/contract";
import { matchesAny } from "@wharf/contract/glob";
import type { Catalog } from "../../engine/catalog.ts";
import { failedPrecondition, type WharfError } from "../../lib/errors.ts";
import type { Reader } from "../../store/db/connection.ts";
import { indexesListing } from "../../store/tables/registry/manifests.ts";
import { wantsUniqueTags } from "../../store/tables/registry/settings.ts";
import { knownTags, tagsOfDigests } from "../../store/tables/registry/tags.ts";
import { namesTo } from "../uid-path.ts";

/** Tags compared with the rules at a time. */
const BATCH_SIZE = 1_000;

type Effect = "immutable" | "protected";

/** The rules that apply to one repo: its own, and those of the groups above it. */
export class RepoTagRules {
  readonly #rules: readonly TagRule[];

  private constructor(rules: readonly TagRule[]) {
    this.#rules = rules;
  }

  static async read(catalog: Catalog, reader: Reader, repo: string): Promise<RepoTagRules> {
    const all = await catalog.tagRules.whereIn(reader, "parent", [repo, ...ancestorsOf(repo)]);
    if (all.every(({ repos }) => repos.length === 0)) return new RepoTagRules(all);
    const names = await namesTo(catalog, reader, repo);
    const pathBelow = (rule: TagRule) => names.slice(depthOf(parentOf(rule.uid)) + 1).join("/");
    return new RepoTagRules(all.filter((rule) => matchesAny(rule.repos, pathBelow(rule))));
  }

  /** The rule that forbids moves or deletions of a tag. */
  about(effect: Effect, tag: string): TagRule | undefined {
    return this.#rules.find((rule) => rule[effect] && matchesAny(rule.tags, tag));
  }

  get protectsAny(): boolean {
    return this.#rules.some((rule) => rule.protected);
  }
}

/** The error for moving a tag of a repo to another image; undefined if it may move. */
export async function moveProblem(
  catalog: Catalog,
  reader: Reader,
  repo: string,
  tag: string,
): Promise<WharfError | undefined> {
  if (await wantsUniqueTags(reader, ancestorsOf(repo))) {
    const description = `tags are unique here: ${JSON.stringify(tag)} cannot move to another image`;
    return failedPrecondition({ type: "TAG_NOT_MOVABLE", description });
  }
  const rule = (await RepoTagRules.read(catalog, reader, repo)).about("immutable", tag);
  if (rule === undefined) return undefined;
  const by = await ruleText(catalog, reader, rule);
  const description = `the tag ${JSON.stringify(tag)} is immutable by ${by}: it cannot move to another image`;
  return failedPrecondition({ type: "TAG_IMMUTABLE", subject: rule.uid, description });
}

/** Rejects the deletion of tags of which a rule protects one. */
export async function checkDeletable(
  catalog: Catalog,
  reader: Reader,
  repo: string,
  tags: readonly string[],
): Promise<void> {
  const rules = await RepoTagRules.read(catalog, reader, repo);
  await rejectProtected(catalog, reader, rules, tags);
}

/** Rejects the deletion of an image of which a protected tag needs a part: it has the image, or an index that lists it. */
export async function checkImageDeletable(
  catalog: Catalog,
  reader: Reader,
  repo: string,
  digest: string,
): Promise<void> {
  const rules = await RepoTagRules.read(catalog, reader, repo);
  if (!rules.protectsAny) return;
  const indexes = await indexesListing(reader, repo, [digest]);
  const tags = await tagsOfDigests(reader, repo, [digest, ...indexes.map((one) => one.digest)]);
  const names = tags.map(({ name }) => name);
  await rejectProtected(catalog, reader, rules, names);
}

/** Rejects the deletion of a repo of which a rule protects a tag. */
export async function checkAllDeletable(
  catalog: Catalog,
  reader: Reader,
  repo: string,
): Promise<void> {
  const rules = await RepoTagRules.read(catalog, reader, repo);
  if (!rules.protectsAny) return;
  for (let last: string | undefined = ""; last !== undefined; ) {
    const page = await knownTags(reader, repo, last, BATCH_SIZE);
    const names = page.map(({ name }) => name);
    await rejectProtected(catalog, reader, rules, names);
    last = page.length < BATCH_SIZE ? undefined : names.at(-1);
  }
}

async function rejectProtected(
  catalog: Catalog,
  reader: Reader,
  rules: RepoTagRules,
  tags: readonly string[],
): Promise<void> {
  for (const tag of tags) {
    const rule = rules.about("protected", tag);
    if (rule === undefined) continue;
    const by = await ruleText(catalog, reader, rule);
    const description = `the tag ${JSON.stringify(tag)} is protected by ${by}: it cannot be deleted`;
    throw failedPrecondition({ type: "TAG_PROTECTED", subject: rule.uid, description });
  }
}

async function ruleText(catalog: Catalog, reader: Reader, { uid, name }: TagRule): Promise<string> {
  const path = (await namesTo(catalog, reader, parentOf(uid))).join("/");
  return `the rule ${JSON.stringify(name)} of ${path}`;
}
