import { clone, create } from "@bufbuild/protobuf";
import { Capability, CreateRepoRequestSchema, type Repo, RepoSchema } from "@wharf/contract";
import type { CreateDeps } from "../../engine/write/creates.ts";
import { readMask } from "../../engine/write/mask.ts";
import { Mutation } from "../../engine/write/mutation.ts";
import { createOne, updateOne } from "../../engine/write/write.ts";
import type { Call, EventBody, Reply } from "../../rpc/call.ts";
import { mustBeUid, validate, validateRequest } from "../../rpc/validate.ts";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { readReadmes } from "../../store/tables/registry/repo-readmes.ts";
import { findOrCreateRepo } from "./ensure-repo.ts";
import { checkReadme, readSafeReadme, storeReadme } from "./readme.ts";
import { withoutUnsafeLinks } from "./readme-links.ts";

/** A repo and its README, which are one resource in version 1. */
export interface RepoWithReadme {
  readonly repo: Repo;
  readonly readme: string;
}

const UPDATE = [Capability.CAP_REPO_UPDATE];
const EVERYTHING = ["*"];

export type EventBodyOf = (repoWithReadme: RepoWithReadme) => EventBody;

/**
 * Writes repos and their READMEs in one transaction. By the contract of version 1, who may create or update a
 * repo may do so with its README, and may set when its sync expires.
 */
export class ReposWithReadme {
  readonly #deps: CreateDeps;
  readonly #eventBodyOf: EventBodyOf;

  constructor(deps: CreateDeps, eventBodyOf: EventBodyOf) {
    this.#deps = deps;
    this.#eventBodyOf = eventBodyOf;
  }

  /** Creates a repo. Replaces an existing one of the name, if allowed and not prevented. */
  create(
    call: Call,
    parent: string,
    { repo, readme }: RepoWithReadme,
    preventExisting: boolean,
    replyOf: (created: RepoWithReadme) => Reply,
  ): Promise<Reply> {
    validateRequest(CreateRepoRequestSchema, create(CreateRepoRequestSchema, { parent, repo }));
    // Before the lookup, as the store rejects some invalid names.
    validate(RepoSchema, repo);
    checkReadme(readme);
    const {
      creates,
      catalog: { repos },
    } = this.#deps;
    const work = async (tx: Transaction) => {
      const mutation = this.#begin(call, tx);
      if (preventExisting) {
        const { created } = await createOne(mutation, repos, parent, repo);
        return this.#withReadme(mutation, created, readme, "Create");
      }
      const found = await findOrCreateRepo(mutation, parent, repo);
      if (found.isNew) return this.#withReadme(mutation, found.repo, readme, "Create");
      // The repo that the first request created is not replaced by its repetition.
      if (call.idempotency?.isRehearsal) return { repo: found.repo, readme };
      mutation.mustHold(UPDATE, found.repo.uid);
      return this.#replace(mutation, found.repo.uid, { repo, readme });
    };
    return creates.write(call, work, replyOf);
  }

  /** Replaces all fields that callers can set. */
  replace(call: Call, repoWithReadme: RepoWithReadme): Promise<RepoWithReadme> {
    const { uid } = repoWithReadme.repo;
    mustBeUid("uid", uid);
    checkReadme(repoWithReadme.readme);
    const { store } = this.#deps;
    return store.writeFor(call, (tx) => this.#replace(this.#begin(call, tx), uid, repoWithReadme));
  }

  /** The READMEs of repos by uid; repos without one are missing. */
  async readmes(repos: readonly string[]): Promise<Map<string, string>> {
    const stored = await readReadmes(this.#deps.store.reader, repos);
    return new Map([...stored].map(([repo, readme]) => [repo, withoutUnsafeLinks(readme)]));
  }

  /** One event reports a repo and its README together. Events of other resources follow it. */
  #begin(call: Call, tx: Transaction): Mutation {
    return new Mutation(call, tx, this.#deps, { events: "held", keepsOutputOnly: true });
  }

  async #replace(
    mutation: Mutation,
    uid: string,
    { repo, readme }: RepoWithReadme,
  ): Promise<RepoWithReadme> {
    const { repos } = this.#deps.catalog;
    const replacement = Object.assign(clone(RepoSchema, repo), { uid });
    const row = await updateOne(
      mutation,
      repos,
      replacement,
      readMask(RepoSchema, EVERYTHING, replacement),
    );
    return this.#withReadme(mutation, repos.fromRow(row), readme, "Update");
  }

  async #withReadme(
    mutation: Mutation,
    repo: Repo,
    readme: string,
    verb: "Create" | "Update",
  ): Promise<RepoWithReadme> {
    const { uid } = repo;
    if (readme !== (await readSafeReadme(mutation.tx, uid))) {
      await storeReadme(mutation, uid, readme);
    }
    const body = this.#eventBodyOf({ repo, readme });
    const method = this.#deps.catalog.repos.method(verb);
    mutation.emitInstead(method, uid, body, (other) => other !== uid);
    return { repo, readme };
  }
}
