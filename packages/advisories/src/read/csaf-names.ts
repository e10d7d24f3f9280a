import { KNOWN_AS, OWN_SYSTEM } from "../publish/csaf-vulnerabilities.ts";
import { osvUrl } from "../publish/osv-id.ts";
import { isAdvisoryId } from "./artifact.ts";
import type { DocumentNode } from "./document-node.ts";

/** The names of a vulnerability of a document, and the ids of the advisories about it. */
export class Names {
  /** Public names, the CVE first. */
  readonly aliases: readonly string[];
  /** Advisory ids. */
  readonly own: readonly string[];
  readonly #byUrl: ReadonlyMap<string, string>;
  readonly #aliasesOf: ReadonlyMap<string, readonly string[]>;

  /** @param isOwn whether Wharf generated the document: then system_name marks the advisory ids */
  constructor(node: DocumentNode, isOwn: boolean) {
    const cve = node.field("cve").optionalString();
    const ids = node
      .field("ids")
      .items("events")
      .map(
        (id) =>
          [id.field("text").requiredString(), id.field("system_name").optionalString()] as const,
      );
    const isAdvisory = (text: string, system: string) =>
      text !== "" && (isOwn ? system === OWN_SYSTEM : isAdvisoryId(text));
    const own = new Set(ids.filter((id) => isAdvisory(...id)).map(([text]) => text));
    const names = [cve, ...ids.map(([text]) => text)];
    this.aliases = [...new Set(names.filter((name) => name !== "" && !own.has(name)))];
    this.own = [...own];
    this.#byUrl = new Map(this.own.map((id) => [osvUrl({ advisoryId: id }, ""), id]));
    this.#aliasesOf = aliasNotes(node, own);
    if (names.every((name) => name === "")) node.addProblem("has neither a cve nor ids");
  }

  /** The advisory about a product, if the product has one of these URL suffixes. */
  about(urls: ReadonlySet<string>): string | undefined {
    // Iterates over the smaller set: a document may have very many of either.
    if (urls.size > this.#byUrl.size) {
      for (const [url, id] of this.#byUrl) if (urls.has(url)) return id;
      return undefined;
    }
    for (const url of urls) if (this.#byUrl.has(url)) return this.#byUrl.get(url);
    return undefined;
  }

  /** The aliases that an advisory has for the vulnerability. */
  aliasesOf(advisoryId: string | undefined): readonly string[] {
    return this.#aliasesOf.get(advisoryId ?? "") ?? this.aliases;
  }
}

/** Documents of Wharf have a note per advisory if several advisories have different aliases for a vulnerability. */
function aliasNotes(
  node: DocumentNode,
  own: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const note of node.field("notes").items("products")) {
    const title = note.field("title").value;
    const text = note.field("text").value;
    if (typeof title !== "string" || typeof text !== "string" || !own.has(title)) continue;
    const [first, ...names] = text.split("\n");
    if (first === KNOWN_AS) found.set(title, names.slice(0, node.limits.aliases));
  }
  return found;
}
