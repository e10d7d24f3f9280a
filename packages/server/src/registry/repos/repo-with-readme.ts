import { clone, create } from "@bufbuild/protobuf";
import { Capability, CreateRepoRequestSchema, type Repo, RepoSchema } from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { readMask } from "../../engine/mask.ts";
import { Mutation } from "../../engine/mutation.ts";
import { createOne, updateOne } from "../../engine/write.ts";
import type { Call, EventBody } from "../../rpc/call.ts";
import { mustBeUid, validate, validateRequest } from "../../rpc/validate.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { readReadmes } from "../../store/tables/repo-readmes.ts";
import { findOrMake } from "./ensure-repo.ts";
import { checkReadme, readSafeReadme, storeReadme } from "./readme.ts";
import { withoutUnsafeLinks } from "./readme-links.ts";

/** A repo and its README, which are one to version 1. */
export interface WholeRepo {
  readonly repo: Repo;
  readonly readme: string;
}

const LIST = [Capability.CAP_REPO_LIST];
const UPDATE = [Capability.CAP_REPO_UPDATE];
const README = [...UPDATE, Capability.CAP_REPO_INTERNAL_ADMIN];
const EVERYTHING = ["*"];

/** Tells of a repo and its README in one event. */
export type TellWhole = (whole: WholeRepo) => EventBody;

/**
 * Repos with their READMEs, each changed in one transaction with the other. What it takes is what it
 * takes of either alone: a README is for those who also administer the registry.
 */
export class WholeRepos {
  readonly #engine: Engine;
  readonly #tell: TellWhole;

  constructor(engine: Engine, tell: TellWhole) {
    this.#engine = engine;
    this.#tell = tell;
  }

  /** Makes a repo; unless ruled out, one of this name is replaced, by those who may change it. */
  create(
    call: Call,
    parent: string,
    { repo, readme }: WholeRepo,
    preventExisting: boolean,
  ): Promise<WholeRepo> {
    validateRequest(CreateRepoRequestSchema, create(CreateRepoRequestSchema, { parent, repo }));
    // Before it is looked for: not everything that a request can hold can be searched for.
    validate(RepoSchema, repo);
    checkReadme(readme);
    const {
      store,
      catalog: { repos },
    } = this.#engine;
    return store.write(async (tx) => {
      const change = this.#begin(call, tx);
      if (preventExisting) {
        const { created } = await createOne(change, repos, parent, repo);
        return this.#withReadme(change, created, readme, "Create");
      }
      const found = await findOrMake(change, parent, repo);
      if (found.isNew) return this.#withReadme(change, found.repo, readme, "Create");
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
    return store.write((tx) => this.#replace(this.#begin(call, tx), uid, whole));
  }

  /** The READMEs of repos, by uid; those without one are left out. */
  async readmes(repos: readonly string[]): Promise<Map<string, string>> {
    const stored = await readReadmes(this.#engine.store.reader, repos);
    return new Map([...stored].map(([repo, readme]) => [repo, withoutUnsafeLinks(readme)]));
  }

  /** One event reports a repo and its README together. Events of other resources follow it. */
  #begin(call: Call, tx: Transaction): Mutation {
    return new Mutation(call, tx, this.#engine, { events: "held" });
  }

  async #replace(change: Mutation, uid: string, { repo, readme }: WholeRepo): Promise<WholeRepo> {
    const { repos } = this.#engine.catalog;
    const given = Object.assign(clone(RepoSchema, repo), { uid });
    const row = await updateOne(change, repos, given, readMask(RepoSchema, EVERYTHING, given));
    return this.#withReadme(change, repos.fromRow(row), readme, "Update");
  }

  /** They who may not read the README are not told what it says. */
  async #withReadme(
    change: Mutation,
    repo: Repo,
    readme: string,
    verb: "Create" | "Update",
  ): Promise<WholeRepo> {
    const { uid } = repo;
    const kept = await keepReadme(change, uid, readme);
    const body = this.#tell({ repo, readme: kept });
    const method = this.#engine.catalog.repos.method(verb);
    await change.emitInstead(method, uid, body, (other) => other !== uid);
    const maySee = kept === readme || change.caller.grants.holds(LIST, uid);
    return { repo, readme: maySee ? kept : "" };
  }
}

/** The README as it is afterwards: from those who may not change it, leaving it out means nothing. */
async function keepReadme(change: Mutation, uid: string, readme: string): Promise<string> {
  const before = await readSafeReadme(change.tx, uid);
  if (readme === before) return before;
  if (readme === "" && !change.caller.grants.holds(README, uid)) return before;
  change.mustHold(README, uid);
  await storeReadme(change, uid, readme);
  return readme;
}
