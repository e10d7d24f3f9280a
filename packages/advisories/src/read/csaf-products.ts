import { type Artifact, wholeArtifact } from "./artifact.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { artifactOf, packageOfUrl } from "./package.ts";
import { type Scope, withinScope } from "./vex.ts";

/** A product of the product tree. */
export interface Product {
  readonly artifact: Artifact;
  readonly version: string;
  readonly scope: Scope;
  /** Whether it has a package URL; otherwise only names identify it. */
  readonly isPackage: boolean;
  /** URL suffixes of the OSV documents of the advisories about it. */
  readonly about: ReadonlySet<string>;
}

/** The properties that a product inherits from the branches above it. */
interface BranchContext {
  readonly name?: string;
  readonly version?: string;
  readonly versions?: string;
  readonly architecture?: string;
}

/** The artifact type of products without a package URL. */
const UNKNOWN_TYPE = "product";

/** The products of a document and its product groups, by id. */
export class Products {
  readonly #products = new Map<string, Product>();
  readonly #groups = new Map<string, readonly string[]>();
  readonly #isOwn: boolean;
  #count = 0;
  #references = 0;

  /** @param isOwn whether Wharf generated the document: then product ids include the component */
  constructor(tree: DocumentNode, isOwn: boolean) {
    this.#isOwn = isOwn;
    this.#branches(tree.field("branches"), {});
    for (const node of tree.field("full_product_names").items("products")) {
      this.#add(node, {});
    }
    for (const node of tree.field("relationships").items("products")) {
      this.#relate(node);
    }
    for (const node of tree.field("product_groups").items("products")) {
      this.#groups.set(
        node.field("group_id").requiredString(),
        productIds(node.field("product_ids")),
      );
    }
  }

  /** The product that a node refers to by id. */
  get(node: DocumentNode): Product | undefined {
    const id = node.requiredString("urlLength");
    const product = this.#products.get(id);
    if (id !== "" && product === undefined) {
      node.addProblem(`the product tree has no product ${quoted(id)}`);
    }
    return product;
  }

  /** The product ids of a flag, threat or remediation. */
  idsOf(node: DocumentNode): Set<string> {
    const ids = productIds(node.field("product_ids"));
    const groups = node.field("group_ids").uniqueStrings("products");
    const lists = [ids, ...groups.map((id) => this.#groups.get(id) ?? [])];
    const before = this.#references;
    this.#references += lists.reduce((sum, list) => sum + list.length, 0);
    const max = node.limits.productReferences;
    if (this.#references <= max) return new Set(lists.flat());
    if (before <= max) {
      node.addProblem(`has more than ${max} product references up to here`);
    }
    return new Set();
  }

  #branches(list: DocumentNode, context: BranchContext): void {
    for (const node of list.items("products")) {
      if (!node.requireObject()) continue;
      const name = node.field("name").requiredString();
      const next = { ...context, ...contextOf(node.field("category").requiredString(), name) };
      if (node.field("product").isPresent) this.#add(node.field("product"), next);
      this.#branches(node.field("branches"), next);
    }
  }

  #add(node: DocumentNode, context: BranchContext): void {
    if (!node.requireObject()) return;
    const title = node.field("name").requiredString("urlLength");
    const helper = node.field("product_identification_helper");
    const purlNode = helper.field("purl");
    const text = purlNode.optionalUrl();
    const purl = text === "" ? undefined : packageOfUrl(text, context.version);
    if (text !== "" && purl === undefined)
      purlNode.addProblem(`${quoted(text)} is not a package URL`);
    const product = purl?.product ?? "";
    const range = purl?.version ? "" : (context.version ?? context.versions ?? "");
    const scope = { product, subcomponent: "", range };
    const about = aboutOf(node);
    const kept: Product = purl
      ? {
          artifact: this.#isOwn ? withOwnComponent(node, artifactOf(purl)) : artifactOf(purl),
          version: purl.version,
          scope,
          isPackage: true,
          about,
        }
      : {
          artifact: wholeArtifact(context.name ?? title, UNKNOWN_TYPE, context.architecture),
          version: context.version ?? "",
          scope,
          isPackage: false,
          about,
        };
    this.#keep(node, kept);
  }

  /**
   * A product within another: the outer one is the artifact if it has a package URL, such as an image. An
   * outer product with only a name is a platform: the location of the package.
   */
  #relate(node: DocumentNode): void {
    if (!node.requireObject()) return;
    const inner = this.get(node.field("product_reference"));
    const outer = this.get(node.field("relates_to_product_reference"));
    const whole = node.field("full_product_name");
    if (inner === undefined || outer === undefined || !whole.requireObject()) return;
    const { name, type } = inner.artifact;
    const component = { ...outer.artifact.component, name, type };
    const scope = withinScope(outer.scope, inner.scope);
    const within = { ...outer.artifact, component };
    const asComponent = {
      ...inner,
      artifact: this.#isOwn ? withOwnComponent(whole, within) : within,
      version: outer.version || inner.version,
      scope,
      about: aboutOf(whole),
    };
    const onPlatform = {
      ...inner,
      artifact: {
        ...inner.artifact,
        component: { ...inner.artifact.component, location: outer.artifact.name },
      },
    };
    this.#keep(whole, outer.isPackage ? asComponent : onPlatform);
  }

  #keep(node: DocumentNode, product: Product): void {
    const idNode = node.field("product_id");
    const id = idNode.requiredString("urlLength");
    if (this.#products.has(id)) idNode.addProblem(`${quoted(id)} occurs twice`);
    const max = node.limits.products;
    if (++this.#count === max) node.addProblem(`there are more than ${max} products`);
    this.#products.set(id, product);
  }
}

/** URL suffixes of the OSV documents of the advisories about a product. */
function aboutOf(node: DocumentNode): ReadonlySet<string> {
  const uris = node.field("product_identification_helper").field("x_generic_uris");
  return new Set(uris.items("advisories").map((one) => fileOf(one.field("uri").optionalUrl())));
}

/** @example fileOf("https://…/feeds/acme/osv/CGA-2345.json") // "/osv/CGA-2345.json" */
function fileOf(url: string): string {
  return url
    .split("/")
    .slice(-2)
    .map((segment) => `/${segment}`)
    .join("");
}

function productIds(node: DocumentNode): string[] {
  return node.uniqueStrings("products", "urlLength");
}

/** Product ids of Wharf name component and location: `<package> <component> at <location>`. */
function withOwnComponent(node: DocumentNode, artifact: Artifact): Artifact {
  const id = node.field("product_id").optionalUrl();
  const [, text = "", location = ""] = /^\S+(?: (pkg:\S+))?(?: at (.*))?$/s.exec(id) ?? [];
  const purl = packageOfUrl(text);
  const { name, type } = purl ?? artifact;
  return { ...artifact, component: { name, type, location } };
}

function contextOf(category: string, name: string): BranchContext {
  if (category === "product_name") return { name };
  if (category === "product_version") return { version: name };
  if (category === "product_version_range") return { versions: name };
  return category === "architecture" ? { architecture: name } : {};
}
