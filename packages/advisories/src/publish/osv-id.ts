import type { Advisory } from "@wharf/contract/messages";

/** The id prefixes of databases registered with OSV; other ids get the prefix x_. */
const REGISTERED_PREFIXES = [
  "ASB-A PUB-A ALPINE ALSA ALBA ALEA AZL BELL BIT CGA CLEANSTART CLSA CURL CVE DEBIAN",
  "DHI DRUPAL DSA DLA ELA DTSA ECHO EEF FreeBSD GHSA GO GSD HSEC JLSEC KUBE LBSEC LSN",
  "MAL MINI MGASA OESA OSEC OSV openSUSE-SU PHSA PSF PYSEC RHBA RHEA RHSA RLSA RXSA",
  "RSEC ROOT RUSTSEC SUSE-[SRFO]U UBUNTU USN V8",
].flatMap((line) => line.split(" "));

const KNOWN_IDS = new RegExp(`^(x_|(${REGISTERED_PREFIXES.join("|")})-)`);

/**
 * The id of the document that publishes an advisory: that of the record that it was imported from, which the
 * advisories of all packages of the record share, or its own.
 *
 * @example osvId(advisory) // "GHSA-…"
 */
export function osvId(advisory: Pick<Advisory, "advisoryId" | "source">): string {
  const id = advisory.source?.osv?.id;
  return typeof id === "string" && id !== "" ? prefixed(id) : ownOsvId(advisory);
}

/**
 * The id of an advisory in OSV. Feeds redirect from it to the document that publishes the advisory.
 *
 * @example ownOsvId(advisory) // "CGA-xxxx-xxxx-xxxx"
 */
export function ownOsvId({ advisoryId }: Pick<Advisory, "advisoryId">): string {
  return prefixed(advisoryId);
}

/**
 * An id with a prefix that OSV permits: a registered one, or x_.
 *
 * @example prefixed("ACME-7") // "x_ACME-7"
 */
export function prefixed(id: string): string {
  return KNOWN_IDS.test(id) ? id : `x_${id}`;
}

/**
 * The file name of a document.
 *
 * @example osvFile("GHSA-…") // "GHSA-….json"
 */
export function osvFile(id: string): string {
  return `${encodeURIComponent(id.toWellFormed())}.json`;
}

/**
 * The URL of an advisory's own id; documents of other formats identify the advisory by it.
 *
 * @example osvUrl(advisory, publication.url) // "https://…/osv/CGA-xxxx-xxxx-xxxx.json"
 */
export function osvUrl(advisory: Pick<Advisory, "advisoryId">, url: string): string {
  return `${url}/osv/${osvFile(ownOsvId(advisory))}`;
}
