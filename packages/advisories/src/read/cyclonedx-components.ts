import { type Artifact, wholeArtifact } from "./artifact.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { artifactOf, packageOfUrl } from "./package.ts";
import { type Scope, withinScope } from "./vex.ts";

/** A component of a BOM, as analyses refer to it. */
export interface Component {
  readonly artifact: Artifact;
  readonly version: string;
  readonly scope: Scope;
}

/** The artifact type of components without a package URL. */
const UNKNOWN_TYPE = "product";

/** A BOM-Link to a component of another BOM: `urn:cdx:<serial>/<version>#<bom-ref>`. */
const BOM_LINK = /^urn:cdx:[^#]*#(.*)$/s;

/**
 * The components and services of a BOM, by bom-ref. An analysis holds for the product that the BOM describes: that
 * its code does not reach a vulnerable function says nothing about other users of the same library. So components
 * are components of that product, unless the BOM describes none.
 */
export class Components {
  readonly #byRef = new Map<string, Component>();
  readonly #product: Component | undefined;
  #count = 0;

  constructor(top: DocumentNode) {
    const product = top.field("metadata").field("component");
    this.#product = product.isPresent ? componentOf(product) : undefined;
    if (this.#product !== undefined) this.#keep(product, this.#product);
    this.#addAll(product.field("components"));
    this.#addAll(top.field("components"));
    this.#addAll(top.field("services"));
  }

  /** The component that a node refers to by bom-ref, or by the package URL that some tools use as one. */
  get(node: DocumentNode): Component | undefined {
    const ref = node.requiredString("urlLength");
    if (ref === "") return undefined;
    const [, linked] = BOM_LINK.exec(ref) ?? [];
    const name = linked === undefined ? ref : decoded(linked);
    const known = this.#byRef.get(name) ?? this.#ofUrl(name);
    if (known === undefined) node.addProblem(`the BOM has no component ${quoted(ref)}`);
    return known;
  }

  #addAll(list: DocumentNode): void {
    for (const node of list.items("products")) {
      const component = componentOf(node);
      if (component === undefined) continue;
      this.#keep(node, this.#within(component));
      this.#addAll(node.field("components"));
      this.#addAll(node.field("services"));
    }
  }

  #ofUrl(text: string): Component | undefined {
    const purl = packageOfUrl(text);
    if (purl === undefined) return undefined;
    const scope = { product: purl.product, subcomponent: "", range: "" };
    return this.#within({ artifact: artifactOf(purl), version: purl.version, scope });
  }

  #within(component: Component): Component {
    if (this.#product === undefined) return component;
    const { artifact, version, scope } = this.#product;
    const { name, type } = component.artifact;
    const inner = { ...artifact.component, name, type };
    return {
      artifact: { ...artifact, component: inner },
      version: version || component.version,
      scope: withinScope(scope, component.scope),
    };
  }

  #keep(node: DocumentNode, component: Component): void {
    const max = node.limits.products;
    if (++this.#count === max) node.addProblem(`there are more than ${max} components`);
    const ref = node.field("bom-ref").optionalUrl();
    if (ref === "") return;
    if (this.#byRef.has(ref)) node.field("bom-ref").addProblem(`${quoted(ref)} occurs twice`);
    this.#byRef.set(ref, component);
  }
}

function componentOf(node: DocumentNode): Component | undefined {
  if (!node.requireObject()) return undefined;
  const purlNode = node.field("purl");
  const text = purlNode.optionalUrl();
  const written = node.field("version").optionalString();
  const purl = text === "" ? undefined : packageOfUrl(text, written);
  if (text !== "" && purl === undefined) {
    purlNode.addProblem(`${quoted(text)} is not a package URL`);
  }
  if (purl !== undefined) {
    const scope = { product: purl.product, subcomponent: "", range: "" };
    return { artifact: artifactOf(purl), version: purl.version, scope };
  }
  const group = node.field("group").optionalString();
  const name = node.field("name").requiredString();
  const artifact = wholeArtifact(group ? `${group}/${name}` : name, UNKNOWN_TYPE);
  return { artifact, version: written, scope: { product: "", subcomponent: "", range: written } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Invalid percent-encoding: some tools do not encode bom-refs.
    return text;
  }
}
