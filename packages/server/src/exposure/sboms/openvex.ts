import { parsePackageUrl } from "@wharf/advisories/package-url";
import { isObject, type JsonObject } from "../../lib/json-values.ts";
import type { Shape } from "./json/shape.ts";
import type { SbomLimits } from "./limits.ts";
import { ObjectLists } from "./object-lists.ts";
import { Texts } from "./texts.ts";
import {
  timeOf,
  tooManyStatements,
  VEX_STATUSES,
  type Vex,
  type VexComponent,
  type VexProduct,
  type VexStatement,
} from "./vex-statement.ts";

/** Reads OpenVEX 0.0 and 0.2. */
export class OpenVexCollector {
  readonly members: ReadonlyMap<string, Shape>;
  readonly #limits: SbomLimits;
  readonly #texts: Texts;
  readonly #about = new Map<string, unknown>();
  readonly #lists = new ObjectLists();
  #statements: VexStatement[] = [];
  #unreadable = 0;
  /** Products and subcomponents, which a few bytes can multiply. */
  #components = 0;

  constructor(limits: SbomLimits) {
    this.#limits = limits;
    this.#texts = new Texts(limits);
    const scalar = (name: string): [string, Shape] => [
      name,
      { value: (value) => this.#about.set(name, value) },
    ];
    this.members = new Map<string, Shape>([
      ...["author", "timestamp", "supplier"].map(scalar),
      this.#lists.member("statements", {
        begin: () => this.#reset(),
        add: (one) => this.#add(one),
      }),
    ]);
  }

  /** Members of a statement inherit those of the document, whatever the order of both. */
  finish(): Vex {
    this.#lists.requireWellFormed();
    const author = this.#texts.prose(this.#about.get("author"));
    const supplier = this.#texts.prose(this.#about.get("supplier"));
    const time = timeOf(this.#about.get("timestamp"));
    const statements = this.#statements.map((one) => ({
      ...one,
      author,
      supplier: one.supplier ?? supplier,
      time: one.time ?? time,
    }));
    return { statements, unreadable: this.#unreadable };
  }

  #reset(): void {
    this.#statements = [];
    this.#unreadable = 0;
    this.#components = 0;
  }

  #add(entry: JsonObject): void {
    const vulnerabilities = this.#names(entry.vulnerability);
    const products = this.#products(entry);
    const status = VEX_STATUSES.find((one) => one === entry.status);
    if (status === undefined || vulnerabilities.length === 0 || products.length === 0) {
      this.#unreadable++;
      return;
    }
    this.#statements.push({
      vulnerabilities,
      products,
      status,
      justification: this.#texts.prose(entry.justification),
      impact: this.#texts.prose(entry.impact_statement),
      action: this.#texts.prose(entry.action_statement),
      time: timeOf(entry.timestamp),
      supplier: this.#texts.prose(entry.supplier),
    });
  }

  /** Of version 0.0 a text; later an object. Without a name, the @id ends with it, as the URL of a CVE does. */
  #names(vulnerability: unknown): string[] {
    if (!isObject(vulnerability)) return [this.#texts.name(vulnerability)].filter(Boolean);
    const { name, aliases } = vulnerability;
    const id = this.#texts.url(vulnerability["@id"]);
    const last = id.split(/[/#:]/).filter(Boolean).at(-1) ?? "";
    const others = Array.isArray(aliases) ? aliases.map((one) => this.#texts.name(one)) : [];
    return [...new Set([this.#texts.name(name), ...others, id, last])].filter(Boolean);
  }

  #products({ products, subcomponents }: JsonObject): VexProduct[] {
    const shared = this.#componentsOf(subcomponents);
    const found: VexProduct[] = [];
    for (const one of Array.isArray(products) ? products : []) {
      const product = this.#component(one);
      const own = isObject(one) ? this.#componentsOf(one.subcomponents) : [];
      const isNarrowed =
        hasEntries(subcomponents) || (isObject(one) && hasEntries(one.subcomponents));
      const inner = [...shared, ...own];
      // Subcomponents that cannot be read narrow the statement to something unknown, never to everything.
      if (product === undefined || (isNarrowed && inner.length === 0)) continue;
      found.push({ ...product, subcomponents: inner });
    }
    return found;
  }

  #componentsOf(list: unknown): VexComponent[] {
    const entries = Array.isArray(list) ? list : [];
    return entries.map((one) => this.#component(one)).filter((one) => one !== undefined);
  }

  /** A component, of version 0.0 its identifier. Undefined if nothing identifies it. */
  #component(entry: unknown): VexComponent | undefined {
    if (++this.#components > this.#limits.statements) throw tooManyStatements(this.#limits);
    const { "@id": id, identifiers, hashes } = isObject(entry) ? entry : { "@id": entry };
    const values = isObject(identifiers) ? Object.values(identifiers) : [];
    const names = [id, ...values].map((one) => this.#texts.url(one)).filter(Boolean);
    const digests = isObject(hashes) ? Object.values(hashes) : [];
    const texts = digests.map((one) => this.#texts.name(one).toLowerCase()).filter(Boolean);
    if (names.length === 0 && texts.length === 0) return undefined;
    const unique = [...new Set(names)];
    const purls = unique.filter((name) => parsePackageUrl(name) !== undefined);
    return { identifiers: unique, purls, hashes: texts };
  }
}

function hasEntries(list: unknown): boolean {
  return Array.isArray(list) ? list.length > 0 : list !== undefined && list !== null;
}
