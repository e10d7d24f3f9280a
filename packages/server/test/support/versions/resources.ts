import { PROTOCOLS, type Protocol } from "../client/api-client.ts";
import type { HttpRequest, Kind, Verb } from "../client/api-error.ts";
import type { PublicName } from "../client/grpc-v1.ts";
import { callOverGrpc } from "../client/over-grpc.ts";
import { callOverRest, queryOf } from "../client/over-rest.ts";
import { callV1 } from "../client/over-v1.ts";

/** What is said of a resource, in words that no version has for itself; `id` is always among it. */
// biome-ignore lint/suspicious/noExplicitAny: resources have facts of every shape.
export type Facts = Record<string, any>;

/** The names that a kind of resource goes by in version 1. */
export interface KindV1 {
  readonly service: PublicName;
  /** Where its paths begin: `/iam/v1/groups`. */
  readonly path: string;
  /** The field of Create that says where: "parent" unless named. */
  readonly parent?: string;
  /** The field of Create that holds the resource; left out where the request is the resource. */
  readonly field?: string;
  /** What its methods add to their verb, one and several, where they do: `CreateRepo`, `ListRepos`. */
  readonly suffixes?: readonly [one: string, many: string];
  /** The field that it is known by: "id" unless named. */
  readonly id?: string;
  /** The filter that finds those of a place, where `uidp.childrenOf` does not. */
  childrenOf?(parent: string): object;
  /** The filter that finds one by its id, where there is none of that name. */
  byId?(id: string): object;
}

/** A kind of resource in both versions, and how what is said in each compares. */
export interface Subject {
  readonly title: string;
  readonly v1: KindV1;
  readonly v2: Kind;
  /** What a request holds, from the facts that it tells. */
  toV1(facts: Facts): object;
  toV2(facts: Facts): object;
  /** The facts of what an answer shows: those that both versions tell, and no others. */
  fromV1(shown: Facts): Facts;
  fromV2(shown: Facts): Facts;
  /** What the mask of version 2 names to replace all that version 1 does; `*` unless named. */
  readonly replaced?: readonly string[];
}

/** What a list asks for. */
export interface Wanted {
  readonly id?: string;
  readonly childrenOf?: string;
  readonly name?: string;
}

/** One of the four ways to work with resources, for one caller; all of them speak in facts. */
export class Way {
  readonly version: "v1" | "v2";
  readonly protocol: Protocol;
  readonly url: string;
  readonly token: string;

  constructor(version: Way["version"], protocol: Protocol, url: string, token: string) {
    this.version = version;
    this.protocol = protocol;
    this.url = url;
    this.token = token;
  }

  get name(): string {
    return `${this.version} ${this.protocol}`;
  }

  /** The same way for another caller. */
  as(token: string): Way {
    return new Way(this.version, this.protocol, this.url, token);
  }

  async create(subject: Subject, parent: string, facts: Facts): Promise<Facts> {
    const { v1, v2 } = subject;
    if (this.version === "v2") {
      const request = { parent, [v2.field]: subject.toV2(facts) };
      return subject.fromV2(await this.callV2(v2, "Create", request));
    }
    const body = subject.toV1(facts);
    const where = { [v1.parent ?? "parent"]: parent };
    const request = v1.field === undefined ? { ...body, ...where } : { ...where, [v1.field]: body };
    const http = { method: "POST", path: `${v1.path}/${parent}`, body };
    return subject.fromV1(await this.callV1(v1.service, methodOf(v1, "Create"), request, http));
  }

  /** PUT in version 1, PATCH with a mask that names everything in version 2. */
  async replace(subject: Subject, id: string, facts: Facts): Promise<Facts> {
    const { v1, replaced = ["*"] } = subject;
    if (this.version === "v2") return this.#update(subject, id, facts, replaced);
    const body = subject.toV1(facts);
    const request = { ...body, [v1.id ?? "id"]: id };
    const http = { method: "PUT", path: `${v1.path}/${id}`, body };
    return subject.fromV1(await this.callV1(v1.service, methodOf(v1, "Update"), request, http));
  }

  /** PATCH of what is given; version 1 has no such thing. */
  change(subject: Subject, id: string, facts: Facts): Promise<Facts> {
    if (this.version === "v1") throw new Error("version 1 replaces as a whole");
    return this.#update(subject, id, facts);
  }

  /** All that a list shows, in the order of their ids. */
  async list(subject: Subject, { id, childrenOf, name }: Wanted): Promise<Facts[]> {
    const { v1, v2 } = subject;
    const named = name === undefined ? {} : { name };
    const below = childrenOf === undefined ? {} : { childrenOf };
    let found: Facts[];
    if (this.version === "v2") {
      const uidp = { ...below, ...(id === undefined ? {} : { ids: [id] }) };
      const answer = await this.callV2(v2, "List", { uidp, ...named, pageSize: 200 });
      found = answer[v2.collection].map(subject.fromV2);
    } else {
      const where =
        childrenOf === undefined ? {} : (v1.childrenOf?.(childrenOf) ?? { uidp: below });
      const one = id === undefined ? {} : (v1.byId?.(id) ?? { [v1.id ?? "id"]: id });
      const request = { ...one, ...where, ...named };
      const http = { method: "GET", path: `${v1.path}?${queryOf(request)}` };
      const answer = await this.callV1(v1.service, methodOf(v1, "List"), request, http);
      found = answer.items.map(subject.fromV1);
    }
    return found.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async delete({ v1, v2 }: Subject, id: string): Promise<void> {
    if (this.version === "v2") await this.callV2(v2, "Delete", { uid: id });
    else {
      const http = { method: "DELETE", path: `${v1.path}/${id}` };
      await this.callV1(v1.service, methodOf(v1, "Delete"), { [v1.id ?? "id"]: id }, http);
    }
  }

  /** Any method of version 1, for what only some resources have. Answers are as REST shows them. */
  callV1(
    service: PublicName,
    method: string,
    request: object,
    http: HttpRequest,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  ): Promise<any> {
    return callV1(this, { service, method, request, http });
  }

  /** Any method of version 2, for what only some resources have. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  callV2(kind: Kind, verb: Verb, request: object): Promise<any> {
    const send = this.protocol === "REST" ? callOverRest : callOverGrpc;
    return send(this.url, this.token, { verb, kind, request });
  }

  async #update(subject: Subject, id: string, facts: Facts, updateMask?: readonly string[]) {
    const { v2 } = subject;
    const mask = updateMask === undefined ? {} : { updateMask };
    const request = { [v2.field]: { ...subject.toV2(facts), uid: id }, ...mask };
    return subject.fromV2(await this.callV2(v2, "Update", request));
  }
}

function methodOf({ suffixes: [one, many] = ["", ""] }: KindV1, verb: string): string {
  return verb + (verb === "List" ? many : one);
}

/**
 * The four ways for a caller.
 *
 * @example for (const way of waysOf(server.url, token)) await way.list(GROUPS, { id });
 */
export function waysOf(url: string, token: string): Way[] {
  return (["v1", "v2"] as const).flatMap((version) => {
    return PROTOCOLS.map((protocol) => new Way(version, protocol, url, token));
  });
}
