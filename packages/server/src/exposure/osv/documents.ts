import type { JsonObject } from "@bufbuild/protobuf";
import { osvDocument, osvId, type Publication } from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import type { ResourceStore } from "../../engine/catalog.ts";
import { tooLong } from "../../lib/errors.ts";
import { indexable } from "../../store/resources/indexable.ts";
import { visibleAdvisories } from "../../store/tables/advisories/visible-advisories.ts";
import { distinct } from "../../vulnerabilities/feeds/runs.ts";
import { type NamingDeps, namingOf } from "../../vulnerabilities/naming.ts";
import { addPublishedSources } from "../../vulnerabilities/sources/definition.ts";

/** A record of an operating system has some thousand packages. */
const MAX_ADVISORIES = 20_000;

export interface DocumentDeps extends ResourceStore, NamingDeps {}

/** Reads the OSV documents of the advisories that a caller may list. */
export class VisibleDocuments {
  readonly #deps: DocumentDeps;
  readonly #scopes: readonly string[] | undefined;

  /** @param scopes where the caller may list advisories; everywhere if undefined */
  constructor(deps: DocumentDeps, scopes: readonly string[] | undefined) {
    this.#deps = deps;
    this.#scopes = scopes;
  }

  /**
   * The documents with these ids, in their order.
   *
   * @param showDeleted whether withdrawn documents are included, whose advisories are deleted
   */
  async withIds(ids: readonly string[], showDeleted = false): Promise<JsonObject[]> {
    // OSV prefixes ids of databases that are not registered.
    const names = ids.flatMap((id) => [id, id.replace(/^x_/, "")]);
    const parts = await this.#parts(names, showDeleted);
    const publication = this.#publication();
    return ids.flatMap((id) => {
      const document = osvDocument(distinct(parts.get(id) ?? []), publication);
      return document === undefined ? [] : [document];
    });
  }

  /** The documents about vulnerabilities with these names, by their ids. */
  async about(names: readonly string[]): Promise<JsonObject[]> {
    const parts = await this.#parts(names, false);
    const publication = this.#publication();
    return [...parts.values()].flatMap((same) => {
      const document = osvDocument(distinct(same), publication);
      return document === undefined ? [] : [document];
    });
  }

  /** The advisories of each document. */
  async #parts(
    names: readonly string[],
    showDeleted: boolean,
  ): Promise<ReadonlyMap<string, Advisory[]>> {
    const {
      store: { reader },
      catalog,
    } = this.#deps;
    const [present = 0, ...deleted] = catalog.advisories.definition.index?.partitions?.all ?? [];
    const rows = await visibleAdvisories(reader, {
      names: [...new Set(names.map(indexable))],
      scopes: this.#scopes,
      partitions: showDeleted ? [present, ...deleted] : [present],
      limit: MAX_ADVISORIES + 1,
    });
    if (rows.length > MAX_ADVISORIES) throw tooLong("the packages of records", MAX_ADVISORIES);
    const all = rows.map((row) => catalog.advisories.fromRow(row));
    await catalog.advisories.definition.hydrate?.(reader, all, catalog);
    await addPublishedSources(reader, all);
    return Map.groupBy(all, osvId);
  }

  /** Documents of several groups have no publisher. */
  #publication(): Publication {
    const { baseUrl } = this.#deps.addresses();
    const common = { publisher: "", namespace: baseUrl, url: baseUrl, isPublic: false };
    return { ...common, ...namingOf(this.#deps) };
  }
}
