import { clone, create } from "@bufbuild/protobuf";
import { Capability, CreateRepoRequestSchema, type Repo, RepoSchema } from "@wharf/contract";
import { Change } from "../engine/change.ts";
import type { Engine } from "../engine/engine.ts";
import { readMask } from "../engine/mask.ts";
import { createOne, updateOne } from "../engine/write.ts";
import type { Call } from "../rpc/call.ts";
import { mustBeUid, validateRequest } from "../rpc/validate.ts";
import { readReadme, readReadmes } from "../store/repo-readmes.ts";
import { findOrMake } from "./contents.ts";
import { checkReadme, storeReadme } from "./readme.ts";

/** A repo and its README, which are one to version 1. */
export interface WholeRepo {
  readonly repo: Repo;
  readonly readme: string;
}

const LIST = [Capability.CAP_REPO_LIST];
const UPDATE = [Capability.CAP_REPO_UPDATE];
const README = [...UPDATE, Capability.CAP_REPO_INTERNAL_ADMIN];
const EVERYTHING = ["*"];

/**
 * Repos with their READMEs, each changed in one transaction with the other. What it takes is what it
 * takes of either alone: a README is for those who also administer the registry.
 */
export class WholeRepos {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Makes a repo; unless ruled out, one of this name is replaced, by those who may change it. */
  create(
    call: Call,
    parent: string,
    { repo, readme }: WholeRepo,
    preventExisting: boolean,
  ): Promise<WholeRepo> {
    validateRequest(CreateRepoRequestSchema, create(CreateRepoRequestSchema, { parent, repo }));
    checkReadme(readme);
    const { repos, store } = this.#engine;
    return store.write(async (tx) => {
      const change = new Change(call, tx, this.#engine);
      if (preventExisting) {
        const { created } = await createOne(change, repos, parent, repo);
        return this.#withReadme(change, created, readme);
      }
      const found = await findOrMake(change, parent, repo);
      if (found.isNew) return this.#withReadme(change, found.repo, readme);
      change.mustHold(UPDATE, found.repo.uid);
      return this.#replace(change, found.repo.uid, { repo, readme });
    });
  }

  /** Replaces everything that a caller can set. */
  replace(call: Call, whole: WholeRepo): Promise<WholeRepo> {
    const { uid } = whole.repo;
    mustBeUid("uid", uid);
    checkReadme(whole.readme);
    const { store } = this.#engine;
    return store.write((tx) => this.#replace(new Change(call, tx, this.#engine), uid, whole));
  }

  /** The READMEs of repos, by uid; those without one are left out. */
  readmes(repos: readonly string[]): Promise<Map<string, string>> {
    return readReadmes(this.#engine.store.reader, repos);
  }

  async #replace(change: Change, uid: string, { repo, readme }: WholeRepo): Promise<WholeRepo> {
    const { repos } = this.#engine;
    const given = Object.assign(clone(RepoSchema, repo), { uid });
    const row = await updateOne(change, repos, given, readMask(RepoSchema, EVERYTHING, given));
    return this.#withReadme(change, repos.fromRow(row), readme);
  }

  /**
   * From those who may not change it, leaving the README out means nothing. They are told what it
   * says if they may read it.
   */
  async #withReadme(change: Change, repo: Repo, readme: string): Promise<WholeRepo> {
    const { uid } = repo;
    const before = await readReadme(change.tx, uid);
    if (readme === before) return { repo, readme };
    const { grants } = change.caller;
    if (readme === "" && !grants.holds(README, uid))
      return { repo, readme: grants.holds(LIST, uid) ? before : "" };
    change.mustHold(README, uid);
    await storeReadme(change, uid, readme);
    return { repo, readme };
  }
}
