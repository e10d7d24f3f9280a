/** A client of the query API of OSV, as scanners have it, and imports of what it asks for. */

import { toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { AdvisoryDocumentSchema, AdvisoryImportsService } from "@wharf/contract";
import type { World } from "../world/world.ts";
import { exposureIsSettled } from "./settled.ts";

export interface OsvAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
}

export class OsvClient {
  readonly #url: string;
  readonly #token: string | undefined;

  constructor(url: string, token?: string) {
    this.#url = url;
    this.#token = token;
  }

  query(query: unknown): Promise<OsvAnswer> {
    return this.#send("POST", "/v1/query", query);
  }

  batch(queries: readonly unknown[]): Promise<OsvAnswer> {
    return this.#send("POST", "/v1/querybatch", { queries });
  }

  get(id: string): Promise<OsvAnswer> {
    return this.#send("GET", `/v1/vulns/${encodeURIComponent(id)}`);
  }

  /** The ids of the answer to a query. */
  async ids(query: unknown): Promise<string[]> {
    const { body } = await this.query(query);
    return (body.vulns ?? []).map(({ id }: { id: string }) => id);
  }

  async #send(method: string, path: string, body?: unknown): Promise<OsvAnswer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }) },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  }
}

/** Imports records into a group, and waits until they can be queried. */
export async function importRecords(
  world: World,
  parent: string,
  ...records: readonly object[]
): Promise<void> {
  for (let at = 0; at < records.length; at += 500) {
    const documents = records.slice(at, at + 500).map((record, number) => {
      const bytes = Buffer.from(JSON.stringify(record));
      return toJson(AdvisoryDocumentSchema, readDocument(bytes, { name: `${number}` }));
    });
    const { results } = await world
      .operator()
      .call(AdvisoryImportsService, "ImportAdvisories", { parent, documents });
    for (const { refusals = [] } of results) {
      if (refusals.length > 0) throw new Error(JSON.stringify(refusals));
    }
  }
  await exposureIsSettled(world.server);
}
