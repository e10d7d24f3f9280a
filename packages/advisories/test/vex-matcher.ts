/**
 * For tests: the statement of a VEX document that a scanner applies, by the documented rules of go-vex, which Trivy and
 * Grype use. It shares no code with the package: package URLs are parsed here again.
 */

/** The members of an OpenVEX statement that decide to what it applies. */
export interface VexStatement {
  readonly vulnerability: { readonly name: string; readonly aliases?: readonly string[] };
  readonly products: readonly VexProduct[];
  readonly status: string;
  readonly timestamp?: string;
}

interface VexComponent {
  readonly "@id"?: string;
  readonly identifiers?: Readonly<Record<string, string>>;
  readonly hashes?: Readonly<Record<string, string>>;
}

export interface VexProduct extends VexComponent {
  readonly subcomponents?: readonly VexComponent[];
}

/** The question of a scanner: the names of a product, and the package URL of the package in it. */
export interface Question {
  readonly vulnerability: string;
  readonly product: readonly string[];
  readonly subcomponent: string;
}

/** The status of the latest statement that applies; undefined if none does. */
export function statusFor(
  statements: readonly VexStatement[],
  question: Question,
): string | undefined {
  const applying = statements.filter((one) => applies(one, question));
  const time = ({ timestamp = "" }: VexStatement) => Date.parse(timestamp) || 0;
  return applying.toSorted((a, b) => time(a) - time(b)).at(-1)?.status;
}

function applies(statement: VexStatement, { vulnerability, product, subcomponent }: Question) {
  const { name, aliases = [] } = statement.vulnerability;
  if (name !== vulnerability && !aliases.includes(vulnerability)) return false;
  return statement.products.some((one) => {
    if (!product.some((asked) => isNamed(one, asked))) return false;
    const { subcomponents = [] } = one;
    if (subcomponents.length === 0 || subcomponent === "") return true;
    return subcomponents.some((each) => isNamed(each, subcomponent));
  });
}

function isNamed(component: VexComponent, asked: string): boolean {
  const { "@id": id = "", identifiers = {}, hashes = {} } = component;
  const names = [id, ...Object.values(identifiers)].filter(Boolean);
  if ([...names, ...Object.values(hashes)].includes(asked)) return true;
  return names.some((name) => purlMatches(name, asked));
}

/** The document's package URL may leave out the version and any qualifier; what it names must be equal. */
function purlMatches(written: string, asked: string): boolean {
  const [one, other] = [parse(written), parse(asked)];
  if (one === undefined || other === undefined) return false;
  if (one.path !== other.path) return false;
  if (one.version !== "" && one.version !== other.version) return false;
  return [...one.qualifiers].every(([key, value]) => other.qualifiers.get(key) === value);
}

const parsed = new Map<string, ReturnType<typeof parseText>>();

function parse(purl: string) {
  if (!parsed.has(purl)) parsed.set(purl, parseText(purl));
  return parsed.get(purl);
}

function parseText(purl: string) {
  if (!purl.startsWith("pkg:")) return undefined;
  const [withoutSubpath = ""] = purl.slice(4).split("#");
  const [main = "", query = ""] = withoutSubpath.split("?");
  const at = main.lastIndexOf("@");
  const hasVersion = at > 0 && main[at - 1] !== "/";
  return {
    path: decodeURIComponent(hasVersion ? main.slice(0, at) : main),
    version: decodeURIComponent(hasVersion ? main.slice(at + 1) : ""),
    qualifiers: new Map(
      query
        .split("&")
        .filter(Boolean)
        .map((pair) => pair.split("=").map(decodeURIComponent) as [string, string])
        .filter(([, value]) => value !== ""),
    ),
  };
}

/** An image in a registry. */
export interface AskedImage {
  /** With the host, as scanners normalize it: index.docker.io for Docker Hub. */
  readonly repository: string;
  readonly digest: string;
  readonly arch: string;
}

/** Trivy asks with the whole repository and the architecture. */
export function trivyNames({ repository, digest, arch }: AskedImage): string[] {
  const name = repository.split("/").at(-1);
  const url = encodeURIComponent(repository);
  return [`pkg:oci/${name}@${encodeURIComponent(digest)}?arch=${arch}&repository_url=${url}`];
}

/** Grype asks with the repository without the name, by reference, and by the digest alone. */
export function grypeNames({ repository, digest }: AskedImage): string[] {
  const name = repository.split("/").at(-1);
  const url = encodeURIComponent(repository.split("/").slice(0, -1).join("/"));
  return [
    `${repository}@${digest}`,
    `pkg:oci/${name}@${encodeURIComponent(digest)}?repository_url=${url}`,
    digest.replace("sha256:", ""),
  ];
}

const CSAF_STATUSES = {
  ...{ fixed: "fixed", first_fixed: "fixed", known_affected: "affected" },
  ...{ known_not_affected: "not_affected", under_investigation: "under_investigation" },
};

/** The statements of a CSAF document: products by package URL, and components by their relationships. */
export function csafStatements(document: unknown): VexStatement[] {
  // biome-ignore lint/suspicious/noExplicitAny: a document of another program
  const { product_tree: tree, vulnerabilities } = document as any;
  const purls = new Map<string, string>();
  const products = new Map<string, VexProduct>();
  for (const { product_id: id, product_identification_helper: helper } of tree.full_product_names) {
    purls.set(id, helper?.purl ?? "");
    products.set(id, { "@id": helper?.purl ?? "" });
  }
  for (const one of tree.relationships ?? []) {
    products.set(one.full_product_name.product_id, {
      "@id": purls.get(one.relates_to_product_reference) ?? "",
      subcomponents: [{ "@id": purls.get(one.product_reference) ?? "" }],
    });
  }
  const found: VexStatement[] = [];
  for (const { cve: name, product_status: lists } of vulnerabilities) {
    for (const [list, status] of Object.entries(CSAF_STATUSES)) {
      for (const id of lists[list] ?? []) {
        found.push({ vulnerability: { name }, status, products: [products.get(id) ?? {}] });
      }
    }
  }
  return found;
}
