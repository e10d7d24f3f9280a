import { KNOWN_AS, OWN_SYSTEM } from "../publish/csaf-vulnerabilities.ts";
import { osvUrl } from "../publish/osv.ts";
import { isAdvisoryId } from "./artifact.ts";
import type { At } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";

/** What a vulnerability of a document is called, by others and in advisories. */
export class Names {
  /** What others call it, the CVE first. */
  readonly aliases: readonly string[];
  /** The advisories on it. */
  readonly own: readonly string[];
  readonly #byUrl: ReadonlyMap<string, string>;
  readonly #aliasesOf: ReadonlyMap<string, readonly string[]>;

  /** @param isOwn whether we wrote the document: then it says which of the names are advisories */
  constructor(at: At, isOwn: boolean) {
    const cve = at.field("cve").wordIfAny();
    const ids = at
      .field("ids")
      .items(READ_LIMITS.events)
      .map((id) => [id.field("text").word(), id.field("system_name").wordIfAny()] as const);
    const isAdvisory = (text: string, system: string) =>
      text !== "" && (isOwn ? system === OWN_SYSTEM : isAdvisoryId(text));
    const own = new Set(ids.filter((id) => isAdvisory(...id)).map(([text]) => text));
    const names = [cve, ...ids.map(([text]) => text)];
    this.aliases = [...new Set(names.filter((name) => name !== "" && !own.has(name)))];
    this.own = [...own];
    this.#byUrl = new Map(this.own.map((id) => [osvUrl({ advisoryId: id }, ""), id]));
    this.#aliasesOf = aliasNotes(at, own);
    if (names.every((name) => name === "")) at.refuse("has neither a cve nor ids");
  }

  /** The advisory that is about a product, where the product says so: by the ends of the addresses. */
  about(urls: ReadonlySet<string>): string | undefined {
    // Whichever are fewer: a document may have very many of either.
    if (urls.size > this.#byUrl.size) {
      for (const [url, id] of this.#byUrl) if (urls.has(url)) return id;
      return undefined;
    }
    for (const url of urls) if (this.#byUrl.has(url)) return this.#byUrl.get(url);
    return undefined;
  }

  /** What an advisory calls the vulnerability. */
  aliasesOf(advisoryId: string | undefined): readonly string[] {
    return this.#aliasesOf.get(advisoryId ?? "") ?? this.aliases;
  }
}

/** Documents of our own have notes on names where several advisories know the vulnerability by different ones. */
function aliasNotes(at: At, own: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const note of at.field("notes").items(READ_LIMITS.products)) {
    const title = note.field("title").value;
    const text = note.field("text").value;
    if (typeof title !== "string" || typeof text !== "string" || !own.has(title)) continue;
    const [first, ...names] = text.split("\n");
    if (first === KNOWN_AS) found.set(title, names.slice(0, READ_LIMITS.aliases));
  }
  return found;
}
