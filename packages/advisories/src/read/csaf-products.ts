import { type Artifact, wholeArtifact } from "./artifact.ts";
import { type At, quoted } from "./at.ts";
import { READ_LIMITS } from "./limits.ts";
import { artifactOf, parsePurl } from "./purl.ts";

/** A product of a product tree. */
export interface Product {
  readonly artifact: Artifact;
  readonly version: string;
  /** The version or range of versions that alone is meant; empty where all are. */
  readonly only: string;
  /** Whether a package URL says what it is; otherwise only its names do. */
  readonly isPackage: boolean;
  /** Where the documents of the advisories are that it says are about it: the ends of their addresses. */
  readonly about: ReadonlySet<string>;
}

/** What is said of the branches on the way to a product. */
interface Way {
  readonly name?: string;
  readonly version?: string;
  readonly versions?: string;
  readonly architecture?: string;
}

/** What products are that have no package URL. */
const OTHER = "product";

/** The products of a document, by id, and the groups of them. */
export class Products {
  readonly #products = new Map<string, Product>();
  readonly #groups = new Map<string, readonly string[]>();
  readonly #isOwn: boolean;
  #count = 0;
  #remarks = 0;

  /** @param isOwn whether we wrote the document: then ids of products tell of their components */
  constructor(tree: At, isOwn: boolean) {
    this.#isOwn = isOwn;
    this.#branches(tree.field("branches"), {});
    for (const at of tree.field("full_product_names").items(READ_LIMITS.products)) {
      this.#add(at, {});
    }
    for (const at of tree.field("relationships").items(READ_LIMITS.products)) {
      this.#relate(at);
    }
    for (const at of tree.field("product_groups").items(READ_LIMITS.products)) {
      this.#groups.set(at.field("group_id").word(), productIds(at.field("product_ids")));
    }
  }

  /** The product that a place in the document names. */
  get(at: At): Product | undefined {
    const id = at.word(READ_LIMITS.urlLength);
    const product = this.#products.get(id);
    if (id !== "" && product === undefined) {
      at.refuse(`the product tree has no product ${quoted(id)}`);
    }
    return product;
  }

  /** The ids that a flag, threat or remediation is about. */
  idsOf(at: At): Set<string> {
    const ids = productIds(at.field("product_ids"));
    const groups = at.field("group_ids").words(READ_LIMITS.products);
    const lists = [ids, ...groups.map((id) => this.#groups.get(id) ?? [])];
    const before = this.#remarks;
    this.#remarks += lists.reduce((sum, list) => sum + list.length, 0);
    if (this.#remarks <= READ_LIMITS.remarks) return new Set(lists.flat());
    if (before <= READ_LIMITS.remarks) {
      at.refuse(`products are named more than ${READ_LIMITS.remarks} times up to here`);
    }
    return new Set();
  }

  #branches(list: At, way: Way): void {
    for (const at of list.items(READ_LIMITS.products)) {
      if (!at.mustBeObject()) continue;
      const name = at.field("name").word();
      const next = { ...way, ...stepOf(at.field("category").word(), name) };
      if (at.field("product").isThere) this.#add(at.field("product"), next);
      this.#branches(at.field("branches"), next);
    }
  }

  #add(at: At, way: Way): void {
    if (!at.mustBeObject()) return;
    const title = at.field("name").word(READ_LIMITS.urlLength);
    const helper = at.field("product_identification_helper");
    const purlAt = helper.field("purl");
    const text = purlAt.urlIfAny();
    const purl = text === "" ? undefined : parsePurl(text);
    if (text !== "" && purl === undefined) purlAt.refuse(`${quoted(text)} is not a package URL`);
    const only = purl?.version || (way.version ?? way.versions ?? "");
    const uris = helper.field("x_generic_uris").items(READ_LIMITS.advisories);
    const about = new Set(uris.map((one) => fileOf(one.field("uri").urlIfAny())));
    const product: Product = purl
      ? {
          artifact: this.#isOwn ? withOwnPart(at, artifactOf(purl)) : artifactOf(purl),
          version: purl.version || (way.version ?? ""),
          only,
          isPackage: true,
          about,
        }
      : {
          artifact: wholeArtifact(way.name ?? title, OTHER, way.architecture),
          version: way.version ?? "",
          only,
          isPackage: false,
          about,
        };
    this.#keep(at, product);
  }

  /**
   * One product in another: the outer one is the artifact if a package URL says what it is, such as
   * an image; a platform that is known by name alone only says where the package runs.
   */
  #relate(at: At): void {
    if (!at.mustBeObject()) return;
    const inner = this.get(at.field("product_reference"));
    const outer = this.get(at.field("relates_to_product_reference"));
    const whole = at.field("full_product_name");
    if (inner === undefined || outer === undefined || !whole.mustBeObject()) return;
    const { name, type } = inner.artifact;
    const component = { ...outer.artifact.component, name, type };
    const only = outer.only || inner.only;
    const within = { ...inner, artifact: { ...outer.artifact, component }, only };
    const placed = {
      ...inner,
      artifact: {
        ...inner.artifact,
        component: { ...inner.artifact.component, location: outer.artifact.name },
      },
    };
    this.#keep(whole, outer.isPackage ? within : placed);
  }

  #keep(at: At, product: Product): void {
    const idAt = at.field("product_id");
    const id = idAt.word(READ_LIMITS.urlLength);
    if (this.#products.has(id)) idAt.refuse(`${quoted(id)} is there twice`);
    if (++this.#count === READ_LIMITS.products) {
      at.refuse(`there are more than ${READ_LIMITS.products} products`);
    }
    this.#products.set(id, product);
  }
}

/** @example fileOf("https://…/feeds/acme/osv/CGA-2345.json") // "/osv/CGA-2345.json" */
function fileOf(url: string): string {
  return url
    .split("/")
    .slice(-2)
    .map((segment) => `/${segment}`)
    .join("");
}

function productIds(at: At): string[] {
  return at.words(READ_LIMITS.products, READ_LIMITS.urlLength);
}

/** The component and the place that an id of ours has after the package: `<package> <component> at <place>`. */
function withOwnPart(at: At, artifact: Artifact): Artifact {
  const id = at.field("product_id").urlIfAny();
  const [, text = "", location = ""] = /^\S+(?: (pkg:\S+))?(?: at (.*))?$/s.exec(id) ?? [];
  const purl = parsePurl(text);
  const { name, type } = purl ?? artifact;
  return { ...artifact, component: { name, type, location } };
}

function stepOf(category: string, name: string): Way {
  if (category === "product_name") return { name };
  if (category === "product_version") return { version: name };
  if (category === "product_version_range") return { versions: name };
  return category === "architecture" ? { architecture: name } : {};
}
