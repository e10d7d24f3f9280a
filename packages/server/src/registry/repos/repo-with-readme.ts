import { clone, create, type DescMethod } from "@bufbuild/protobuf";
import { Capability, CreateRepoRequestSchema, type Repo, RepoSchema } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { readMask } from "../../engine/mask.ts";
import { Change } from "../../engine/mutation.ts";
import { createOne, updateOne } from "../../engine/write.ts";
import type { Call, EventBody } from "../../rpc/call.ts";
import { mustBeUid, validate, validateRequest } from "../../rpc/validate.ts";
import { readReadmes } from "../../store/tables/repo-readmes.ts";
import { findOrCreateRepo } from "./ensure-repo.ts";
import { checkReadme, readSafeReadme, storeReadme } from "./readme.ts";
import { withoutUnsafeLinks } from "./readme-links.ts";

/** A repo and its README, which are one to version 1. */
export interface RepoWithReadme {
  readonly repo: Repo;
  readonly readme: string;
}

const LIST = [Capability.CAP_REPO_LIST];
const UPDATE = [Capability.CAP_REPO_UPDATE];
const README = [...UPDATE, Capability.CAP_REPO_INTERNAL_ADMIN];
const EVERYTHING = ["*"];

/** Tells of a repo and its README in one event. */
export type ToEventBody = (whole: RepoWithReadme) => EventBody;

/**
 * Repos with their READMEs, each changed in one transaction with the other. What it takes is what it
 * takes of either alone: a README is for those who also administer the registry.
 */
export class ReposWithReadme {
  readonly #engine: Engine;
  readonly #tell: ToEventBody;

  constructor(engine: Engine, tell: ToEventBody) {
    this.#engine = engine;
    this.#tell = tell;
  }

  /** Makes a repo; unless ruled out, one of this name is replaced, by those who may change it. */
  create(
    call: Call,
    parent: string,
    { repo, readme }: RepoWithReadme,
    preventExisting: boolean,
  ): Promise<RepoWithReadme> {
    validateRequest(CreateRepoRequestSchema, create(CreateRepoRequestSchema, { parent, repo }));
    // Before it is looked for: not everything that a request can hold can be searched for.
    validate(RepoSchema, repo);
    checkReadme(readme);
    const { repos, store } = this.#engine;
    return store.write(async (tx) => {
      const change = new CombinedChange(call, tx, this.#engine);
      if (preventExisting) {
        const { created } = await createOne(change, repos, parent, repo);
        return this.#withReadme(change, created, readme, "Create");
      }
      const found = await findOrCreateRepo(change, parent, repo);
      if (found.isNew) return this.#withReadme(change, found.repo, readme, "Create");
      change.mustHold(UPDATE, found.repo.uid);
      return this.#replace(change, found.repo.uid, { repo, readme });
    });
  }

  /** Replaces everything that a caller can set. */
  replace(call: Call, whole: RepoWithReadme): Promise<RepoWithReadme> {
    const { uid } = whole.repo;
    mustBeUid("uid", uid);
    checkReadme(whole.readme);
    const { store } = this.#engine;
    return store.write((tx) =>
      this.#replace(new CombinedChange(call, tx, this.#engine), uid, whole),
    );
  }

  /** The READMEs of repos, by uid; those without one are left out. */
  async readmes(repos: readonly string[]): Promise<Map<string, string>> {
    const stored = await readReadmes(this.#engine.store.reader, repos);
    return new Map([...stored].map(([repo, readme]) => [repo, withoutUnsafeLinks(readme)]));
  }

  async #replace(
    change: CombinedChange,
    uid: string,
    { repo, readme }: RepoWithReadme,
  ): Promise<RepoWithReadme> {
    const { repos } = this.#engine;
    const given = Object.assign(clone(RepoSchema, repo), { uid });
    const row = await updateOne(change, repos, given, readMask(RepoSchema, EVERYTHING, given));
    return this.#withReadme(change, repos.fromRow(row), readme, "Update");
  }

  /** They who may not read the README are not told what it says. */
  async #withReadme(
    change: CombinedChange,
    repo: Repo,
    readme: string,
    verb: "Create" | "Update",
  ): Promise<RepoWithReadme> {
    const { uid } = repo;
    const kept = await keepReadme(change, uid, readme);
    const body = this.#tell({ repo, readme: kept });
    await change.emitAsOne(this.#engine.repos.method(verb), uid, body);
    const maySee = kept === readme || change.caller.grants.holds(LIST, uid);
    return { repo, readme: maySee ? kept : "" };
  }
}

/** The README as it is afterwards: from those who may not change it, leaving it out means nothing. */
async function keepReadme(change: Change, uid: string, readme: string): Promise<string> {
  const before = await readSafeReadme(change.tx, uid);
  if (readme === before) return before;
  if (readme === "" && !change.caller.grants.holds(README, uid)) return before;
  change.mustHold(README, uid);
  await storeReadme(change, uid, readme);
  return readme;
}

/** A change of a repo and its README, which one event tells. Events of other things are their own. */
class CombinedChange extends Change {
  readonly #held: Parameters<Change["emit"]>[] = [];

  override async emit(...event: Parameters<Change["emit"]>): Promise<void> {
    this.#held.push(event);
  }

  /** Writes the one event, and those of other things after it. */
  async emitAsOne(method: DescMethod, uid: string, body: EventBody): Promise<void> {
    await super.emit(method, uid, body);
    for (const event of this.#held) if (event[1] !== uid) await super.emit(...event);
  }
}
