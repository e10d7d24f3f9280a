/**
 * Which vulnerabilities affect which images, computed from scratch and slowly: every image with every record. It shares
 * nothing with the product. Versions are whole numbers here, or unknown.
 */

export interface ModelPackage {
  readonly purl: string;
  readonly ecosystem: string;
  /** Of the distribution; undefined if it is unknown. */
  readonly release?: string | undefined;
  readonly name: string;
  readonly origin?: string | undefined;
  readonly version: number | undefined;
  /** The package URL of the package that contains this one. */
  readonly owner?: string | undefined;
}

export interface ModelStatement {
  readonly vulnerability: string;
  /** The package URL of the product, of all versions without one. */
  readonly product: string;
  readonly status: "not_affected" | "affected" | "fixed" | "under_investigation";
  readonly time: number;
}

export interface ModelImage {
  readonly repo: string;
  readonly digest: string;
  readonly packages: readonly ModelPackage[];
  readonly statements: readonly ModelStatement[];
}

export interface ModelRecord {
  readonly group: string;
  readonly id: string;
  readonly aliases: readonly string[];
  readonly upstream: readonly string[];
  readonly ecosystem: string;
  readonly release?: string | undefined;
  readonly package: string;
  /** From a version to before another one. None for a clearance. */
  readonly ranges: readonly (readonly [from: number, before: number | undefined])[];
  /** 0 to 5. */
  readonly severity: number;
}

export interface ModelDecision {
  readonly uid: string;
  readonly scope: string;
  readonly vulnerability: string;
  /** A package URL without version. */
  readonly package?: string | undefined;
  readonly digest?: string | undefined;
  readonly status: number;
  /** The order of approvals. */
  readonly approved: number;
}

export interface ModelFinding {
  readonly vulnerability: string;
  readonly names: readonly string[];
  readonly purl: string;
  readonly status: number;
  readonly severity: number;
  readonly fixed: readonly number[];
}

const DISTRIBUTIONS = ["Alpine", "Wolfi"];

type Verdict = "affected" | "unknown" | "cleared" | undefined;

interface Found {
  readonly record: ModelRecord;
  readonly verdict: Verdict;
}

export class ExposureModel {
  readonly images = new Map<string, ModelImage>();
  /** By group and id. */
  readonly records = new Map<string, ModelRecord>();
  readonly decisions = new Map<string, ModelDecision>();
  /** Every package that any image has had. */
  readonly packages = new Map<string, ModelPackage>();

  addImage(image: ModelImage): void {
    this.images.set(image.digest, image);
    for (const one of image.packages) this.packages.set(one.purl, one);
  }

  /** The findings of an image. */
  findingsOf(digest: string): ModelFinding[] {
    const image = this.images.get(digest) as ModelImage;
    const records = [...this.records.values()].filter(({ group }) =>
      isAtOrBelow(image.repo, group),
    );
    const classes = aliasClasses(records);
    const findings: ModelFinding[] = [];
    for (const names of classes) {
      for (const one of image.packages) {
        const finding = this.#finding(image, one, names, records);
        if (finding !== undefined) findings.push(finding);
      }
    }
    return findings;
  }

  #finding(
    image: ModelImage,
    one: ModelPackage,
    names: readonly string[],
    records: readonly ModelRecord[],
  ): ModelFinding | undefined {
    const about = records.filter((record) =>
      vulnerabilitiesOf(record).some((v) => names.includes(v)),
    );
    const found = about.map((record): Found => ({ record, verdict: this.#verdict(one, record) }));
    const positive = found.filter(({ verdict }) => verdict === "affected" || verdict === "unknown");
    if (positive.length === 0) return undefined;
    const owner = image.packages.find(({ purl }) => purl === one.owner);
    const ofOwner =
      owner === undefined
        ? []
        : about.map((record) => ({ record, verdict: this.#verdict(owner, record) }));
    const clearances = [...found, ...ofOwner].filter(({ verdict }) => verdict === "cleared");
    const isNearer = ({ record }: Found) =>
      clearances.every((clearance) => record.group.length > clearance.record.group.length);
    const nearer = positive.filter(isNearer);
    const deciding = nearer.length > 0 ? nearer : positive;
    const status =
      this.#decided(image, one, names) ??
      stated(image, one, names) ??
      (nearer.length === 0 ? 2 : undefined) ??
      (deciding.some(({ verdict }) => verdict === "affected") ? 1 : 4);
    return {
      vulnerability: bestName(names),
      names: [...names].sort(),
      purl: one.purl,
      status,
      severity: severityOf(deciding),
      fixed: fixesOf(one, deciding),
    };
  }

  /** The nearest decision, the one about an image before one about a package, then the latest. */
  #decided(image: ModelImage, one: ModelPackage, names: readonly string[]): number | undefined {
    const applicable = [...this.decisions.values()].filter(
      (decision) =>
        names.includes(decision.vulnerability) &&
        isAtOrBelow(image.repo, decision.scope) &&
        (decision.digest === undefined || decision.digest === image.digest) &&
        (decision.package === undefined || isPackage(decision.package, one.purl)),
    );
    let best: ModelDecision | undefined;
    for (const decision of applicable) {
      if (best === undefined || precedes(decision, best)) best = decision;
    }
    return best?.status;
  }

  #verdict(one: ModelPackage, record: ModelRecord): Verdict {
    if (one.ecosystem !== record.ecosystem || !this.#names(one, record)) return undefined;
    const isKnown = record.release === undefined || one.release !== undefined;
    if (isKnown && record.release !== undefined && one.release !== record.release) return undefined;
    if (record.ranges.length === 0) return isKnown ? "cleared" : undefined;
    if (one.version === undefined) {
      const isAlways = record.ranges.some(([from, before]) => from === 0 && before === undefined);
      return isAlways ? "affected" : "unknown";
    }
    const version = one.version;
    const isIn = record.ranges.some(
      ([from, before]) => version >= from && (before === undefined || version < before),
    );
    return isIn ? "affected" : undefined;
  }

  /** Alpine's records name the source package. Wolfi's name the package, or its source while it has none itself. */
  #names(one: ModelPackage, record: ModelRecord): boolean {
    if (one.ecosystem === "Alpine") return (one.origin ?? one.name) === record.package;
    if (one.name === record.package) return true;
    if (one.ecosystem !== "Wolfi" || one.origin !== record.package) return false;
    return ![...this.records.values()].some(
      ({ group, ecosystem, package: name }) =>
        group === record.group && ecosystem === "Wolfi" && name === one.name,
    );
  }
}

function isAtOrBelow(uid: string, top: string): boolean {
  return uid === top || uid.startsWith(`${top}/`);
}

function isCve(name: string): boolean {
  return name.startsWith("CVE-");
}

/** The names that a record says are the same vulnerability; none for a notice about several. */
function sameNames({ id, aliases, upstream, ecosystem }: ModelRecord): string[] {
  if (!DISTRIBUTIONS.includes(ecosystem)) return [id, ...aliases];
  const upstreams = [...new Set(upstream)];
  return upstreams.length > 1 ? [] : [id, ...upstreams];
}

function vulnerabilitiesOf(record: ModelRecord): readonly string[] {
  const same = sameNames(record);
  return same.length > 0 ? same : [...new Set(record.upstream)];
}

/** Joins sets with a common name until there are none. */
function aliasClasses(records: readonly ModelRecord[]): string[][] {
  let classes = records.flatMap((record) => {
    const same = sameNames(record);
    return same.length > 0 ? [same] : vulnerabilitiesOf(record).map((name) => [name]);
  });
  for (;;) {
    const at = classes.findIndex((one, i) =>
      classes.some((other, j) => i < j && one.some((name) => other.includes(name))),
    );
    if (at < 0) return classes.map((one) => [...new Set(one)]);
    const one = classes[at] as string[];
    const other = classes.find((some, j) => j > at && some.some((name) => one.includes(name)));
    classes = [
      ...classes.filter((some) => some !== one && some !== other),
      [...one, ...(other as string[])],
    ];
  }
}

function bestName(names: readonly string[]): string {
  const sorted = [...names].sort();
  return sorted.find(isCve) ?? (sorted[0] as string);
}

function precedes(one: ModelDecision, other: ModelDecision): boolean {
  if (one.scope.length !== other.scope.length) return one.scope.length > other.scope.length;
  const weight = (decision: ModelDecision) =>
    (decision.digest === undefined ? 0 : 2) + (decision.package === undefined ? 0 : 1);
  if (weight(one) !== weight(other)) return weight(one) > weight(other);
  return one.approved > other.approved;
}

/** Whether a package URL, perhaps without version, is that of a package. */
function isPackage(written: string, purl: string): boolean {
  return written === purl || written === purl.split(/[@?]/)[0];
}

/** The status by the latest statement; undefined if there is none, or it does not say. */
function stated(
  image: ModelImage,
  one: ModelPackage,
  names: readonly string[],
): number | undefined {
  const [latest] = image.statements
    .filter(
      ({ vulnerability, product }) => names.includes(vulnerability) && isPackage(product, one.purl),
    )
    .sort((a, b) => b.time - a.time);
  if (latest === undefined || latest.status === "under_investigation") return undefined;
  if (latest.status === "fixed") return latest.product.includes("@") ? 3 : undefined;
  return latest.status === "not_affected" ? 2 : 1;
}

/** Of the nearest records, those that say affected first, the highest. */
function severityOf(deciding: readonly Found[]): number {
  const depths = [...new Set(deciding.map(({ record }) => record.group.length))].sort(
    (a, b) => b - a,
  );
  for (const depth of depths) {
    for (const verdict of ["affected", "unknown"]) {
      const some = deciding.filter(
        (one) => one.record.group.length === depth && one.verdict === verdict,
      );
      const most = Math.max(0, ...some.map(({ record }) => record.severity));
      if (most > 0) return most;
    }
  }
  return 0;
}

/** The next fix of each range that has the version; of an unknown version, all fixes. */
function fixesOf({ version }: ModelPackage, deciding: readonly Found[]): number[] {
  const fixes = deciding.flatMap(({ record: { ranges } }) =>
    ranges.flatMap(([from, before]) => {
      if (before === undefined) return [];
      const isIn = version === undefined || (version >= from && version < before);
      return isIn ? [before] : [];
    }),
  );
  return [...new Set(fixes)].sort((a, b) => a - b);
}
