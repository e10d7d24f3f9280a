/** Resources of both versions in common terms, so that one test compares what each of them does. */
import { ApiClient, PROTOCOLS } from "../client/api-client.ts";
import type { Collections, Version } from "../client/collections.ts";

/** The facts of a resource, in words that no version has for itself; `id` is always among them. */
// biome-ignore lint/suspicious/noExplicitAny: resources have facts of every shape.
export type Facts = Record<string, any>;

/** A kind of resource in both versions, and how what is said in each compares. */
export interface Subject {
  readonly title: string;
  /** The name of its collection, in version 1 too unless that has another. */
  readonly collection: keyof Collections;
  readonly collectionV1?: keyof Collections;
  /** The request of version 1 from the facts. */
  toV1(facts: Facts): object;
  toV2(facts: Facts): object;
  /** The facts of what an answer shows: those that both versions tell, and no others. */
  fromV1(shown: Facts): Facts;
  fromV2(shown: Facts): Facts;
  /** The mask paths of version 2 that replace as much as version 1 does; `*` by default. */
  readonly replaced?: readonly string[];
  /** The filter of version 1 that finds those of a place, where `uidp.childrenOf` does not. */
  childrenOf?(parent: string): object;
  /** The filter of version 1 that finds one by its id, where `id` does not. */
  byId?(id: string): object;
}

/** The filters of a list. */
export interface Wanted {
  readonly id?: string;
  readonly childrenOf?: string;
  readonly name?: string;
}

const VERSIONS: readonly Version[] = ["v1", "v2beta1"];

/** Clients of each version over each protocol, by what they are called in titles. */
export const COMBINATIONS = VERSIONS.flatMap((version) => {
  return PROTOCOLS.map((protocol) => ({ version, protocol, name: `${version} ${protocol}` }));
});

/** One of the four combinations of version and protocol, for one caller; all speak in facts. */
export class ComparedClient {
  readonly name: string;
  readonly api: ApiClient;

  constructor(api: ApiClient) {
    this.api = api;
    this.name = `${api.version} ${api.protocol}`;
  }

  /** All four. */
  static all(url: string, token: string): ComparedClient[] {
    return COMBINATIONS.map(({ version, protocol }) => {
      return new ComparedClient(new ApiClient({ url, token, version, protocol }));
    });
  }

  as(token: string): ComparedClient {
    return new ComparedClient(this.api.as(token));
  }

  async create(subject: Subject, parent: string, facts: Facts): Promise<Facts> {
    const given = this.#isV1 ? subject.toV1(facts) : subject.toV2(facts);
    return this.#facts(subject, await this.#collection(subject).create(parent, given));
  }

  /** PUT in version 1, PATCH with a mask that names everything in version 2. */
  async replace(subject: Subject, id: string, facts: Facts): Promise<Facts> {
    const { replaced = ["*"] } = subject;
    const collection = this.#collection(subject);
    const updated = this.#isV1
      ? collection.update(id, subject.toV1(facts))
      : collection.update(id, subject.toV2(facts), replaced);
    return this.#facts(subject, await updated);
  }

  /** PATCH of some facts; version 1 has no such method. */
  async change(subject: Subject, id: string, facts: Facts): Promise<Facts> {
    if (this.#isV1) throw new Error("version 1 replaces as a whole");
    return subject.fromV2(await this.#collection(subject).update(id, subject.toV2(facts)));
  }

  /** The items of a list, in the order of their ids. */
  async list(subject: Subject, { id, childrenOf, name }: Wanted): Promise<Facts[]> {
    const named = name === undefined ? {} : { name };
    const below = childrenOf === undefined ? {} : { childrenOf };
    let request: object;
    if (this.#isV1) {
      const one = id === undefined ? {} : (subject.byId?.(id) ?? { id });
      const where =
        childrenOf === undefined ? {} : (subject.childrenOf?.(childrenOf) ?? { uidp: below });
      request = { ...one, ...where, ...named };
    } else {
      const uidp = { ...below, ...(id === undefined ? {} : { ids: [id] }) };
      request = { uidp, ...named, pageSize: 200 };
    }
    const answer = await this.#collection(subject).list(request);
    const found: Facts[] = this.#isV1 ? answer.items : answer[subject.collection];
    const facts = found.map((shown) => this.#facts(subject, shown));
    return facts.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async delete(subject: Subject, id: string): Promise<void> {
    await this.#collection(subject).delete(id);
  }

  get #isV1(): boolean {
    return this.api.version === "v1";
  }

  #collection({ collection, collectionV1 = collection }: Subject) {
    return this.api[this.#isV1 ? collectionV1 : collection];
  }

  #facts(subject: Subject, shown: Facts): Facts {
    return this.#isV1 ? subject.fromV1(shown) : subject.fromV2(shown);
  }
}
