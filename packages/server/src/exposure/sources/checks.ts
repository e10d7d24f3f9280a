import { durationMs } from "@bufbuild/protobuf/wkt";
import { VulnerabilitySourceKind as Kind, type VulnerabilitySource } from "@wharf/contract";
import type { FieldViolation } from "../../lib/errors.ts";
import { MAX_INTERVAL_MS, MIN_INTERVAL_MS, SOURCE_KINDS, type SourceKind } from "./kinds.ts";

/** Which URLs may be read, as for sinks of subscriptions. */
export interface SourcePolicy {
  /** Why a URL cannot be read; undefined if it can. */
  problem(url: string): string | undefined;
  mayBePrivate(url: URL): boolean;
}

const CHECKSUM = /^sha256:[0-9a-f]{64}$/;

/** A release of Alpine, which is a folder of its secdb. */
const ALPINE_RELEASE = /^Alpine:(v\d+\.\d+|edge)$/;

/** Violations, by field, of rules that the contract cannot express. */
export function sourceProblems(
  policy: SourcePolicy,
  source: VulnerabilitySource,
  before: VulnerabilitySource | undefined,
): FieldViolation[] {
  const kind = SOURCE_KINDS[source.kind];
  if (kind === undefined) return [{ field: "kind", description: "kind is required" }];
  const { url, interval } = source;
  const found: FieldViolation[] = [];
  const add = (field: string, rest: string | undefined) => {
    if (rest !== undefined) found.push({ field, description: `${field} ${rest}` });
  };
  if (url === "") add("url", "is required for this kind");
  else if (url !== before?.url) add("url", policy.problem(url) ?? baseProblem(kind, url));
  add("ecosystems", ecosystemsProblem(kind, source));
  add("checksum", checksumProblem(policy, kind, source));
  const ms = interval === undefined ? 0 : durationMs(interval);
  if (ms < MIN_INTERVAL_MS || ms > MAX_INTERVAL_MS) {
    add("interval", "must be from 5 minutes to 30 days");
  }
  if (/[^\x21-\x7e]/.test(source.token)) add("token", "must be printable ASCII without spaces");
  return found;
}

/** Paths are appended to the URL of a kind with several files. */
function baseProblem({ isFile }: SourceKind, url: string): string | undefined {
  return !isFile && URL.parse(url)?.search !== "" ? "must not have a query" : undefined;
}

function ecosystemsProblem(
  { ecosystems: count }: SourceKind,
  { kind, ecosystems }: VulnerabilitySource,
): string | undefined {
  if (count === "none") return ecosystems.length === 0 ? undefined : "must be empty for this kind";
  if (ecosystems.length === 0) return "is required for this kind";
  if (count === "one" && ecosystems.length > 1) return "must be one for this kind";
  if (new Set(ecosystems).size < ecosystems.length) return "must differ";
  const invalid = ecosystems.find((one) => !isEcosystem(kind, one));
  if (invalid === undefined) return undefined;
  const expected = kind === Kind.ALPINE ? "a release, such as Alpine:v3.20" : "without a release";
  return `must be ${expected}: ${JSON.stringify(invalid)} is not`;
}

/** Buckets of OSV have all releases of a distribution below its name. */
function isEcosystem(kind: Kind, ecosystem: string): boolean {
  if (kind === Kind.ALPINE) return ALPINE_RELEASE.test(ecosystem);
  return kind !== Kind.OSV || !ecosystem.includes(":");
}

function checksumProblem(
  policy: SourcePolicy,
  { isFile }: SourceKind,
  { checksum }: VulnerabilitySource,
): string | undefined {
  if (checksum === "" || CHECKSUM.test(checksum)) {
    return checksum !== "" && !isFile ? "must be empty for this kind" : undefined;
  }
  if (!isFile) return "must be empty for this kind";
  if (!/^https?:/.test(checksum)) return "must be sha256: and 64 hexadecimal digits, or a URL";
  return policy.problem(checksum);
}
