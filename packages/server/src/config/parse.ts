/** Parses and validates the values of settings. */
import { readRange } from "../lib/net/address-range.ts";
import { isLoopbackHost } from "../lib/net/loopback.ts";

/** The entries of a comma-separated list. */
export function list(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** Accepts these values only. */
export function oneOf(...values: readonly string[]): (text: string) => string | undefined {
  return (text) => (values.includes(text) ? undefined : `must be one of ${values.join(", ")}`);
}

/** Accepts whole numbers within bounds. */
export function numberBetween(
  least: number,
  most: number,
  of = "",
): (text: string) => string | undefined {
  return (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most
      ? undefined
      : `must be a number${of} from ${least} to ${most}`;
}

export function splitOnce(text: string, by: string): [string, string | undefined] {
  const at = text.indexOf(by);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + by.length)];
}

export function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

export function parseListen(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[(?<v6>[0-9a-fA-F:.]+)\]|(?<host>[^:[\]]+)):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.port);
  const host = match?.groups?.v6 ?? match?.groups?.host;
  return host === undefined || port > 65_535 ? undefined : { host, port };
}

/** Milliseconds since 1970; 0 for none. */
export function timeOf(text: string): number {
  return text === "" ? 0 : Date.parse(text);
}

export function readRegistryUrl(text: string): [host: string, url: string] {
  const [host, url = ""] = splitOnce(text, "=");
  return [host.trim(), withoutSlash(url.trim())];
}

export function urlProblem(text: string): string | undefined {
  if (text === "") return undefined;
  const url = URL.parse(text);
  const usable =
    url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  return usable ? undefined : "must be an http or https URL without a query";
}

export function endpointProblem(text: string): string | undefined {
  return urlProblem(text) ?? (text === "" ? "must not be empty" : undefined);
}

export function hostProblem(text: string): string | undefined {
  return /^[A-Za-z0-9._[\]:-]+$/.test(text)
    ? undefined
    : "must be hosts, such as registry.example.com or registry.example.com:5000";
}

export function registryUrlProblem(text: string): string | undefined {
  const [host, url] = readRegistryUrl(text);
  const usable = hostProblem(host) === undefined && endpointProblem(url) === undefined;
  return usable
    ? undefined
    : "must be HOST=URL, such as registry.example.com=http://127.0.0.1:5000";
}

export function proxyProblem(text: string): string | undefined {
  if (readRange(text) !== undefined) return undefined;
  const value = JSON.stringify(text);
  return /\/0+$/.test(text)
    ? `must not include every address, as ${value} does: any client could then claim any address`
    : `must be addresses or CIDR ranges, such as 10.0.0.7 or 10.0.0.0/8; got ${value}`;
}

export function googleIdProblem(text: string): string | undefined {
  return /^[a-z0-9-]{4,32}$/.test(text)
    ? undefined
    : "must have 4 to 32 lower-case letters, digits and hyphens";
}

/** A retention period: more than two centuries is a mistake, 0 is forever. */
export function daysProblem(text: string): string | undefined {
  return /^\d{1,5}$/.test(text) ? undefined : "must be a number of days from 0 to 99999";
}

/** A date (midnight UTC) or a time. */
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/;

export function dateProblem(text: string): string | undefined {
  const usable = text === "" || (DATE.test(text) && timeOf(text) > 0 && isDay(text.slice(0, 10)));
  return usable ? undefined : "must be a date, such as 2027-01-31 or 2027-01-31T12:00:00Z";
}

/** Whether the date exists: Date.parse would read the 31st of a short month as the 1st of the next. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return time > 0 && new Date(time).toISOString().startsWith(text);
}

/** Whether a URL can stand between angle brackets in a Link header. */
export function isHeaderUrl(text: string): boolean {
  return /^https?:\/\/[!-;=?-~]+$/.test(text) && URL.canParse(text);
}

export function countProblem(text: string): string | undefined {
  return /^[1-9]\d{0,6}$/.test(text) ? undefined : "must be a number above zero";
}

/** Why a list of sinks of the audit log is invalid. */
export function auditSinksProblem(text: string): string | undefined {
  return list(text).every(isAuditSink)
    ? undefined
    : "must be https, syslog+tls or file URLs, such as https://siem.example.com/wharf, syslog+tls://logs.example.com:6514 or file:///var/log/wharf/audit.jsonl";
}

/** Entries are confidential: without TLS they stay on this machine. */
function isAuditSink(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  const isHere = isLoopbackHost(url.hostname);
  const only = (...names: string[]) =>
    [...url.searchParams.keys()].every((key) => names.includes(key));
  const isCount = (name: string) => /^\d{1,15}$/.test(url.searchParams.get(name) ?? "1");
  switch (url.protocol) {
    case "file:":
      return (
        url.host === "" && only("max-bytes", "keep") && isCount("max-bytes") && isCount("keep")
      );
    case "syslog+tls:":
      return url.hostname !== "" && only("ca");
    case "http:":
      return isHere;
    default:
      return url.protocol === "https:";
  }
}
