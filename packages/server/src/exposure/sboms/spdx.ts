import { isObject, type JsonObject } from "../../lib/json-values.ts";
import type { Shape } from "./json/shape.ts";
import type { SbomLimits } from "./limits.ts";
import { ObjectLists } from "./object-lists.ts";
import { EdgeList, tooManyComponents } from "./package-list.ts";
import { SbomRefused } from "./refusal.ts";
import type { Sbom } from "./sbom.ts";
import { spdxContents } from "./spdx-contents.ts";
import { type SpdxElement, spdxElement } from "./spdx-element.ts";
import { normalized } from "./spdx-relationships.ts";
import { Texts, timeOf } from "./texts.ts";

const DOCUMENT = "SPDXRef-DOCUMENT";

/** Keys of what is read of packages and of metadata; files, annotations of files and so on are never built. */
const KEYS: ReadonlySet<string> = new Set([
  ...["SPDXID", "name", "versionInfo", "licenseConcluded", "licenseDeclared", "description"],
  ...["summary", "sourceInfo", "primaryPackagePurpose"],
  ...["externalRefs", "referenceType", "referenceLocator", "attributionTexts", "annotations"],
  ...["comment", "created", "creators", "spdxElementId", "relatedSpdxElement", "relationshipType"],
]);

/** Reads SPDX 2.2 and 2.3. */
export class SpdxCollector {
  readonly members: ReadonlyMap<string, Shape>;
  readonly #limits: SbomLimits;
  readonly #texts: Texts;
  #version: unknown;
  #name: unknown;
  #creation: JsonObject = {};
  #described: unknown;
  #elements: SpdxElement[] = [];
  #edges: EdgeList;
  readonly #lists = new ObjectLists(KEYS);

  constructor(limits: SbomLimits) {
    this.#limits = limits;
    this.#texts = new Texts(limits);
    this.#edges = new EdgeList(limits);
    this.members = new Map<string, Shape>([
      ["spdxVersion", { value: (value) => (this.#version = value) }],
      ["name", { value: (value) => (this.#name = value) }],
      ["documentDescribes", { value: (value) => (this.#described = value) }],
      ["creationInfo", { value: (value) => (this.#creation = isObject(value) ? value : {}) }],
      this.#lists.member("packages", {
        begin: () => (this.#elements = []),
        add: (one) => this.#package(one),
      }),
      this.#lists.member("relationships", {
        begin: () => (this.#edges = new EdgeList(limits)),
        add: (one) => this.#relationship(one),
      }),
    ]);
  }

  /** The version of the format, as it is written; undefined if the document is not SPDX 2. */
  get specVersion(): string | undefined {
    return typeof this.#version === "string" ? this.#version : undefined;
  }

  finish(): Sbom {
    this.#lists.requireWellFormed();
    const version = this.specVersion ?? "";
    if (!/^SPDX-2\.[23]$/.test(version)) {
      const text = `${JSON.stringify(version.slice(0, 40))} is not supported; expected SPDX-2.2 or SPDX-2.3`;
      throw new SbomRefused("unsupported_version", text);
    }
    const creators = listOf(this.#creation.creators).map((one) => this.#texts.name(one));
    const tool = after(creators, "Tool:")[0];
    return {
      format: "spdx",
      specVersion: version.slice("SPDX-".length),
      name: this.#texts.prose(this.#name),
      tool,
      generatedAt: timeOf(this.#creation.created),
      authors: [...after(creators, "Person:"), ...after(creators, "Organization:")],
      ...spdxContents({ elements: this.#elements, edges: this.#edges, roots: this.#roots(), tool }),
    };
  }

  #package(entry: JsonObject): void {
    if (this.#elements.length >= this.#limits.components) {
      throw tooManyComponents(this.#limits.components);
    }
    this.#elements.push(spdxElement(entry, this.#elements.length, this.#texts));
  }

  #relationship(entry: JsonObject): void {
    const edge = normalized(entry, this.#texts);
    if (edge !== undefined) this.#edges.add(...edge);
  }

  /** The elements that the document describes, as a member of its own or by relationships. */
  #roots(): string[] {
    const listed = listOf(this.#described).map((one) => this.#texts.url(one));
    const related = this.#edges.edges
      .filter(([from, , type]) => from === DOCUMENT && type === "DESCRIBES")
      .map(([, to]) => to);
    return [...new Set([...listed, ...related])].filter(Boolean);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function after(creators: readonly string[], kind: string): string[] {
  return creators
    .filter((creator) => creator.startsWith(kind))
    .map((creator) => creator.slice(kind.length).trim())
    .filter(Boolean);
}
