import { isObject, type JsonObject, objectsIn } from "../../lib/json-values.ts";
import {
  type CycloneComponent,
  cycloneComponent,
  digestsOf,
  isPackage,
  systemOf,
} from "./cyclonedx-component.ts";
import { cycloneStatements } from "./cyclonedx-vex.ts";
import type { Shape } from "./json/shape.ts";
import type { SbomLimits } from "./limits.ts";
import { ObjectLists } from "./object-lists.ts";
import { EdgeList, PackageList, tooManyComponents } from "./package-list.ts";
import { SbomRefused } from "./refusal.ts";
import type { Sbom } from "./sbom.ts";
import { Texts, timeOf } from "./texts.ts";
import { tooManyStatements, type Vex } from "./vex-statement.ts";

/** Keys of what is read of components, metadata and analyses: evidence, pedigrees and files are never built. */
const KEYS: ReadonlySet<string> = new Set([
  ...["bom-ref", "type", "group", "name", "version", "purl", "licenses", "license", "expression"],
  ...["description", "properties", "value", "hashes", "alg", "content", "components", "timestamp"],
  ...["tools", "component", "authors", "email", "ref", "dependsOn", "references", "id"],
  ...["analysis", "state", "justification", "detail", "response", "affects", "versions"],
  ...["status", "firstIssued", "lastUpdated", "updated", "supplier"],
]);

interface Entry {
  readonly entry: JsonObject;
  readonly parent: string;
}

interface Subject extends CycloneComponent {
  readonly digests: readonly string[];
}

/** Reads CycloneDX 1.2 to 1.7. */
export class CycloneDxCollector {
  readonly members: ReadonlyMap<string, Shape>;
  readonly #limits: SbomLimits;
  readonly #texts: Texts;
  readonly #scalars = new Map<string, unknown>();
  #metadata: JsonObject = {};
  #components: CycloneComponent[] = [];
  #contained: EdgeList;
  #dependencies: EdgeList;
  #analyses: JsonObject[] = [];
  readonly #lists = new ObjectLists(KEYS);

  constructor(limits: SbomLimits) {
    this.#limits = limits;
    this.#texts = new Texts(limits);
    this.#contained = new EdgeList(limits);
    this.#dependencies = new EdgeList(limits);
    this.members = new Map<string, Shape>([
      ...["bomFormat", "specVersion"].map((name): [string, Shape] => [
        name,
        { value: (value) => this.#scalars.set(name, value) },
      ]),
      [
        "metadata",
        { value: (value) => (this.#metadata = isObject(value) ? value : {}), keys: KEYS },
      ],
      this.#lists.member("components", {
        begin: () => this.#resetComponents(),
        add: (one) => this.#addAll(one),
      }),
      this.#lists.member("dependencies", {
        begin: () => (this.#dependencies = new EdgeList(limits)),
        add: (one) => this.#dependency(one),
      }),
      this.#lists.member("vulnerabilities", {
        begin: () => (this.#analyses = []),
        add: (one) => this.#analysis(one),
      }),
    ]);
  }

  /** The version of the format, as it is written; undefined if the document is not CycloneDX. */
  get specVersion(): string | undefined {
    if (this.#scalars.get("bomFormat") !== "CycloneDX") return undefined;
    const version = this.#scalars.get("specVersion");
    return typeof version === "string" ? version : "";
  }

  finish(): { readonly sbom?: Sbom | undefined; readonly vex?: Vex | undefined } {
    this.#lists.requireWellFormed();
    const version = this.specVersion ?? "";
    if (!/^1\.[2-7]$/.test(version)) {
      const text = `CycloneDX ${JSON.stringify(version.slice(0, 40))} is not supported; expected 1.2 to 1.7`;
      throw new SbomRefused("unsupported_version", text);
    }
    const subject = this.#subject();
    const vex = this.#vex(subject);
    const isVexOnly = vex !== undefined && this.#components.length === 0;
    return { sbom: isVexOnly ? undefined : this.#sbom(version, subject), vex };
  }

  #sbom(version: string, subject: Subject | undefined): Sbom {
    const list = new PackageList();
    if (subject !== undefined && subject.package.purl !== undefined && isPackage(subject)) {
      list.add(subject.package);
    }
    for (const one of this.#components) if (isPackage(one)) list.add(one.package);
    const system = this.#components.find(({ type }) => type === "operating-system");
    const roots = subject === undefined ? [] : [subject.package.ref];
    const edges = [
      ...this.#contained.between(list, roots),
      ...this.#dependencies.between(list, roots),
    ];
    return {
      ...this.#about(version),
      operatingSystem: system && systemOf(system),
      packages: list.packages,
      edges,
      roots,
      withoutPurl: list.withoutPurl,
      invalidPurls: list.invalidPurls,
    };
  }

  #about(specVersion: string) {
    const { timestamp, tools, authors, component } = this.#metadata;
    return {
      format: "cyclonedx" as const,
      specVersion,
      name: isObject(component) ? this.#texts.prose(component.name) : undefined,
      tool: this.#toolOf(tools),
      generatedAt: timeOf(timestamp),
      authors: objectsIn(authors)
        .map((one) => this.#texts.name(one.name ?? one.email))
        .filter(Boolean),
    };
  }

  /** A list, and since 1.5 an object with components. */
  #toolOf(tools: unknown): string | undefined {
    const [first] = objectsIn(isObject(tools) ? tools.components : tools);
    if (first === undefined) return undefined;
    const words = [this.#texts.name(first.name), this.#texts.name(first.version)];
    return words.filter(Boolean).join(" ") || undefined;
  }

  /** The component that the document is about. Its own components are read when the document ends. */
  #subject(): Subject | undefined {
    const { component } = this.#metadata;
    if (!isObject(component)) return undefined;
    const own = cycloneComponent(component, -1, this.#texts);
    const subject = { ...own, digests: digestsOf(component, own) };
    for (const inner of objectsIn(component.components)) this.#addAll(inner, subject.package.ref);
    return subject;
  }

  /** Adds a component and those in it. Nesting is as deep as that of the document, so this is a loop. */
  #addAll(first: JsonObject, container = ""): void {
    const pending: Entry[] = [{ entry: first, parent: container }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { entry, parent } = next;
      if (this.#components.length >= this.#limits.components) {
        throw tooManyComponents(this.#limits.components);
      }
      const one = cycloneComponent(entry, this.#components.length, this.#texts);
      this.#components.push(one);
      const { ref } = one.package;
      this.#contained.add(parent, ref, "CONTAINS");
      for (const inner of objectsIn(entry.components).reverse()) {
        pending.push({ entry: inner, parent: ref });
      }
    }
  }

  #dependency({ ref, dependsOn }: JsonObject): void {
    const from = this.#texts.url(ref);
    for (const one of Array.isArray(dependsOn) ? dependsOn : []) {
      this.#dependencies.add(from, this.#texts.url(one), "DEPENDS_ON");
    }
  }

  #analysis(entry: JsonObject): void {
    if (!isObject(entry.analysis)) return;
    if (this.#analyses.length >= this.#limits.statements) throw tooManyStatements(this.#limits);
    this.#analyses.push(entry);
  }

  #vex(subject: Subject | undefined): Vex | undefined {
    if (this.#analyses.length === 0) return undefined;
    const components = [...this.#components, ...(subject === undefined ? [] : [subject])];
    const packages = new Map(components.map((one) => [one.package.ref, one.package]));
    const { timestamp, authors, supplier } = this.#metadata;
    const { package: product, digests = [] } = subject ?? {};
    const bom = { timestamp, authors, supplier, product, digests, packages };
    const statements = cycloneStatements(this.#analyses, bom, this.#texts, this.#limits);
    return { statements, unreadable: this.#analyses.length - statements.length };
  }

  #resetComponents(): void {
    this.#components = [];
    this.#contained = new EdgeList(this.#limits);
  }
}
