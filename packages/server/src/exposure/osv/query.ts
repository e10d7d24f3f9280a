import type { VersionRow } from "../../store/tables/exposure/records/matches.ts";
import type { PackageKey } from "../../store/tables/exposure/records/records.ts";
import { canonicalName } from "../names.ts";
import { installedPackage } from "../purl.ts";
import { invalidQuery } from "./errors.ts";

/** A package and a version of it, as matching compares them. The version is empty for all versions. */
export type QueriedPackage = Omit<VersionRow, "id" | "purl">;

/** A query by package. */
export interface PackageQuery {
  /** Identifies the query in page tokens. */
  readonly key: string;
  /** Undefined for a package of an ecosystem without records. */
  readonly queried: QueriedPackage | undefined;
  readonly pageToken: string;
}

type Fields = Readonly<Record<string, unknown>>;

const MAX_TEXT = 2_048;

/** Reads a query as osv.dev does. Throws the reason for which it is invalid. */
export function readQuery(body: unknown): PackageQuery {
  const query = fieldsOf(body, "the query");
  const [commit, version] = [textOf(query, "commit"), textOf(query, "version")];
  const pageToken = textOf(query, "page_token");
  if (commit !== "") {
    if (version !== "") throw invalidQuery("commit and version exclude each other");
    throw invalidQuery("queries by commit are not supported: send a package and a version");
  }
  const named = fieldsOf(query.package ?? {}, "package");
  const [name, ecosystem] = [textOf(named, "name"), textOf(named, "ecosystem")];
  const purl = textOf(named, "purl");
  const key = JSON.stringify([name, ecosystem, purl, version]);
  if (purl === "") {
    if (name === "" || ecosystem === "") {
      throw invalidQuery("package must have a name and an ecosystem, or a purl");
    }
    return { key, queried: namedPackage(name, ecosystem, version), pageToken };
  }
  if (name !== "" || ecosystem !== "") {
    throw invalidQuery("purl excludes name and ecosystem");
  }
  return { key, queried: purlPackage(purl, version), pageToken };
}

/** The packages whose records answer a query. */
export function packagesOf({ ecosystem, name, origin }: QueriedPackage): PackageKey[] {
  return [...new Set([name, origin])].flatMap((one) =>
    one === "" ? [] : [[ecosystem, one] as const],
  );
}

/** Of a distribution, its name is that of records: of the source package, where these have that. */
function namedPackage(name: string, written: string, version: string): QueriedPackage {
  const [ecosystem = ""] = written.split(":");
  return {
    ecosystem,
    release: written.includes(":") ? written : "",
    name: canonicalName(ecosystem, name),
    ...{ version, origin: "", originVersion: "" },
  };
}

function purlPackage(purl: string, version: string): QueriedPackage | undefined {
  const found = installedPackage(purl);
  if (found === undefined) throw invalidQuery(`${JSON.stringify(purl)} is not a package URL`);
  if (found.version !== "" && version !== "") {
    throw invalidQuery("version must be either in the purl or in the query");
  }
  const { ecosystem, release = "", name, origin } = found;
  if (ecosystem === undefined) return undefined;
  return {
    ...{ ecosystem, release, name },
    version: found.version || version,
    origin: origin?.name ?? "",
    originVersion: origin === undefined ? "" : origin.version || version,
  };
}

export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalidQuery(`${what} must be an object`);
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name] ?? "";
  if (typeof value !== "string") throw invalidQuery(`${name} must be a string`);
  if (value.length > MAX_TEXT) throw invalidQuery(`${name} is longer than ${MAX_TEXT} characters`);
  if (value.includes("\0")) throw invalidQuery(`${name} must not contain NUL`);
  return value;
}
