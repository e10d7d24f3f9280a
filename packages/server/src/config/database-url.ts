/** The URL of a PostgreSQL database, with one host or several, as libpq takes it. */

export interface DatabaseHost {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  /** Undefined for that of `PGPORT`, or 5432. */
  readonly port: number | undefined;
  /** The URL of this host alone, with the password: never for errors or logs. */
  readonly url: string;
}

export interface DatabaseUrl {
  readonly hosts: readonly DatabaseHost[];
  /** Undefined for the default. */
  readonly connectTimeoutMs: number | undefined;
  /** Undefined for the default; 0 for none. */
  readonly statementTimeoutMs: number | undefined;
}

/** The parameters that are interpreted here; all others are those of the driver. */
const OURS = ["host", "port", "target_session_attrs", "connect_timeout", "statement_timeout"];

/** Values of `sslmode`: those of libpq that the driver implements, and its own. */
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/** More than this is a mistake: callers would have gone. */
const MAX_CONNECT_SECONDS = 60;
const MAX_STATEMENT_MS = 3_600_000;

/**
 * Errors quote nothing: a password with a `/` that is not percent-encoded moves parts of itself into the host,
 * the port or the path.
 */
const ENCODE = "percent-encode special characters of the user name and the password";

class UrlProblem extends Error {}

/** Why a URL is invalid; undefined if it is valid. */
export function databaseUrlProblem(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    parseDatabaseUrl(text);
    return undefined;
  } catch (error) {
    if (error instanceof UrlProblem) return error.message;
    throw error;
  }
}

/** Parses a valid URL. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  const scheme = /^postgres(ql)?:\/\//.exec(text)?.[0];
  if (scheme === undefined) throw new UrlProblem("must begin with postgres://");
  const [, authority = "", path = "", query = "", fragment] =
    /^([^/?#]*)([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(text.slice(scheme.length)) ?? [];
  if (fragment !== undefined || path.includes("@"))
    throw new UrlProblem(`is not a valid URL: ${ENCODE}`);
  const params = parseParams(query);
  checkSessionAttrs(params.get("target_session_attrs"));
  checkSslMode(params);

  const at = authority.lastIndexOf("@");
  const user = authority.slice(0, at + 1);
  const rest = new URLSearchParams([...params].filter(([name]) => !OURS.includes(name)));
  const hosts = endpoints(authority.slice(at + 1), params.get("host"), params.get("port")).map(
    ({ host, port }) => {
      const own = new URLSearchParams(rest);
      // As a parameter, a host needs no brackets, and the directory of a socket no encoding.
      if (host !== "") own.set("host", host); // otherwise that of PGHOST
      if (port !== undefined) own.set("port", String(port));
      return { host, port, url: `${scheme}${user}/${path.slice(1)}?${own}` };
    },
  );
  if (hosts.some(({ url }) => URL.parse(url.replace("@/", "@host/")) === null))
    throw new UrlProblem(`is not a valid URL: ${ENCODE}`);
  const seconds = wholeNumber(params, "connect_timeout", MAX_CONNECT_SECONDS, "seconds");
  return {
    hosts,
    // libpq: 0 is "not specified".
    connectTimeoutMs: seconds === undefined || seconds === 0 ? undefined : seconds * 1_000,
    statementTimeoutMs: wholeNumber(params, "statement_timeout", MAX_STATEMENT_MS, "milliseconds"),
  };
}

/** A host for errors and logs. */
export function shownHost({ host, port }: DatabaseHost): string {
  const name = host === "" ? "localhost" : host;
  const displayName = name.includes(":") ? `[${name}]` : name;
  return port === undefined ? displayName : `${displayName}:${port}`;
}

function parseParams(query: string): Map<string, string> {
  const params = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    // The rest of a password, if it contains a question mark.
    if (!/^[A-Za-z_]+$/.test(name)) throw new UrlProblem(`has an invalid parameter: ${ENCODE}`);
    params.set(name, value);
  }
  return params;
}

/** Reads are as current as writes, so no standby will do. */
function checkSessionAttrs(value: string | undefined): void {
  if (value === undefined || value === "read-write" || value === "primary") return;
  throw new UrlProblem(
    "has an unsupported target_session_attrs: must be read-write or primary, because a standby answers with outdated access decisions",
  );
}

/**
 * The driver verifies the host in each mode but the first and the last, warns of it for three of them, and will
 * stop doing so in its next major version: these get the mode that says so.
 */
function checkSslMode(params: Map<string, string>): void {
  const mode = params.get("sslmode");
  if (mode === undefined) return;
  if (!SSL_MODES.includes(mode))
    throw new UrlProblem(`has an unsupported sslmode: must be one of ${SSL_MODES.join(", ")}`);
  const isVerified = mode !== "disable" && mode !== "no-verify";
  if (isVerified && params.get("uselibpqcompat") !== "true") params.set("sslmode", "verify-full");
}

function endpoints(
  authority: string,
  hostParam: string | undefined,
  portParam: string | undefined,
): { host: string; port: number | undefined }[] {
  const named = authority.split(",").map((one) => {
    const match = /^(?:\[([0-9A-Fa-f:.%]+)\]|([^:[\]]*))(?::(\d*))?$/.exec(one);
    if (match === null) throw new UrlProblem(`has an invalid host or port: ${ENCODE}`);
    return { host: decoded(match[1] ?? match[2] ?? ""), port: match[3] ?? "" };
  });
  const hosts = hostParam === undefined ? named.map(({ host }) => host) : hostParam.split(",");
  const ports = portParam === undefined ? named.map(({ port }) => port) : portParam.split(",");
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new UrlProblem(
      `has ${hosts.length} hosts and ${ports.length} ports: give one port, or one for each host`,
    );
  if (hosts.length > 1 && hosts.includes(""))
    throw new UrlProblem("has an empty host in its list of hosts");
  return hosts.map((host, i) => ({ host, port: portOf(ports[i] ?? ports[0] ?? "") }));
}

function portOf(text: string): number | undefined {
  if (text === "") return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new UrlProblem("has an invalid port: must be 1 to 65535");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UrlProblem("has an invalid percent-encoding in a host");
  }
}

function wholeNumber(
  params: ReadonlyMap<string, string>,
  name: string,
  max: number,
  unit: string,
): number | undefined {
  const text = params.get(name);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text);
  throw new UrlProblem(`has an invalid ${name}: must be 0 to ${max} ${unit}`);
}
