import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { withoutFalseClears } from "./all-clears.ts";
import { type Assessment, assessmentsOf } from "./assessment.ts";
import { byPackage, vulnerabilityName } from "./names.ts";
import { osvUrl } from "./osv-id.ts";
import { productUrls, subcomponentUrls } from "./packages.ts";
import { type Publication, TOOL } from "./publication.ts";
import { actionOf, fixOf, impactOf } from "./sentences.ts";
import { rfc3339, timesOf } from "./times.ts";

const CONTEXT = "https://openvex.dev/ns/v0.2.0";

/**
 * An OpenVEX document as chunks, so that a document of a whole feed needs no more memory than one package. It is
 * empty if there are no statements: OpenVEX requires one.
 *
 * Its version is the time of the latest change: it increases with every change, and is the same for the same
 * advisories.
 *
 * @param sorted advisories ordered by artifact name
 * @example for await (const chunk of openVexDocument(advisories, `${url}/openvex/all.json`, publication)) …
 */
export async function* openVexDocument(
  sorted: AsyncIterable<Advisory> | Iterable<Advisory>,
  id: string,
  publication: Publication,
): AsyncGenerator<string> {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  let begun = false;
  for await (const advisories of byPackage(sorted)) {
    const known = advisories.filter((advisory) => assessmentsOf(advisory).length > 0);
    for (const advisory of known) {
      const times = timesOf([advisory]);
      last = Math.max(last, times.last);
      first = Math.min(first, times.first);
    }
    const shown = known.filter(({ deleteTime }) => deleteTime === undefined);
    for (const { advisory, assessment } of withoutFalseClears(shown, "components", publication)) {
      yield begun ? "," : openVexStart(id, publication);
      begun = true;
      yield JSON.stringify(statement(advisory, assessment, publication));
    }
  }
  if (!begun) return;
  yield `],"timestamp":"${rfc3339(first)}","last_updated":"${rfc3339(last)}","version":${Math.max(last, 1)}}`;
}

function openVexStart(id: string, { publisher }: Publication): string {
  const head = { "@context": CONTEXT, "@id": id, author: publisher, tooling: TOOL };
  return `${JSON.stringify(head).slice(0, -1)},"statements":[`;
}

function statement(
  advisory: Advisory,
  assessment: Assessment,
  publication: Publication,
): JsonObject {
  const { name, others } = vulnerabilityName(advisory);
  const { status, justification, time } = assessment;
  return {
    "@id": osvUrl(advisory, publication.url),
    vulnerability: { name, ...(others.length === 0 ? {} : { aliases: [...others] }) },
    timestamp: rfc3339(time),
    products: products(advisory, assessment, publication),
    status,
    ...(justification === undefined ? {} : { justification }),
    ...(status === "not_affected" ? { impact_statement: impactOf(assessment) } : {}),
    ...(status === "affected" ? { action_statement: actionOf(assessment) } : {}),
    ...(status === "fixed" ? { status_notes: fixOf(assessment) } : {}),
  };
}

/** A fixed product has a version, unless its source names it without one: scanners consider every version fixed. */
function products(
  advisory: Advisory,
  assessment: Assessment,
  publication: Publication,
): JsonObject[] {
  const components = subcomponentUrls(advisory, assessment, publication).map(identified);
  const subcomponents = components.length === 0 ? {} : { subcomponents: components };
  return productUrls(advisory, assessment, publication).map(({ purl }) => ({
    ...identified(purl),
    ...hashesOf(purl),
    ...subcomponents,
  }));
}

function identified(purl: string): JsonObject {
  return { "@id": purl, identifiers: { purl } };
}

/** The hash of an image, by which consumers may know it. */
function hashesOf(purl: string): JsonObject {
  const [, hex] = /@sha256:([0-9a-f]{64})(?:[?#]|$)/.exec(purl) ?? [];
  return hex === undefined ? {} : { hashes: { "sha-256": hex } };
}
