import { ancestorsOf, OPERATOR_UID } from "@wharf/contract";
import type { Context } from "../context.ts";
import { ancestorPath, namesOf } from "./group-names.ts";
import { GROUP, IDENTITY, type Kind, type Named, REPO } from "./kinds.ts";

/** Digits of a UID without a name, for tables. */
const SHORT_DIGITS = 12;

/** Names for the UIDs of logs, loaded for all rows at once. Deleted resources have none. */
export class UidNames {
  readonly #context: Context;
  readonly #names = new Map<string, string>([[OPERATOR_UID, "operator"]]);
  readonly #repos = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  async loadIdentities(uids: readonly string[]): Promise<void> {
    await this.#load(IDENTITY, uids);
  }

  /** Names of groups and repos, and of those that contain the UIDs. */
  async loadPaths(uids: readonly string[]): Promise<void> {
    const all = uids.flatMap((uid) => [uid, ...ancestorsOf(uid)]);
    await this.#load(GROUP, all);
    for (const uid of await this.#load(REPO, all)) this.#repos.add(uid);
  }

  async #load<T extends Named>(kind: Kind<T>, uids: readonly string[]): Promise<string[]> {
    const unknown = uids.filter((uid) => !this.#names.has(uid));
    const found = await namesOf(this.#context, kind, unknown);
    for (const [uid, name] of found) this.#names.set(uid, name);
    return [...found.keys()];
  }

  nameOf(uid: string): string {
    return this.#names.get(uid) ?? shortUid(uid);
  }

  /** `acme/platform/app`, and `acme/app:1.2` for a tag. The name at the time may be gone from the server. */
  pathOf(uid: string, name = this.#names.get(uid)): string {
    if (uid === "") return "";
    const above = ancestorPath(this.#names, uid);
    const [parent = ""] = ancestorsOf(uid);
    const separated = this.#repos.has(parent) ? above.replace(/\/$/, ":") : above;
    return `${separated}${name ?? shortUid(uid)}`;
  }
}

function shortUid(uid: string): string {
  const last = uid.slice(uid.lastIndexOf("/") + 1);
  return last.length > SHORT_DIGITS ? `${last.slice(0, SHORT_DIGITS)}…` : last;
}
