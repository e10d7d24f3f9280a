import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { withoutFalseClears } from "./all-clears.ts";
import { csafId, csafPath } from "./csaf-file.ts";
import { type Product, productsOf } from "./csaf-products.ts";
import { vulnerabilities } from "./csaf-vulnerabilities.ts";
import { packageOf } from "./names.ts";
import { type Publication, TOOL } from "./publication.ts";
import { isPublic, standingOf, timeOf } from "./standing.ts";
import { rfc3339, timesOf } from "./times.ts";

/**
 * All that is known of one package as a VEX document of CSAF 2.0; undefined while outsiders may know
 * nothing of it.
 *
 * @param advisories all of one package, deleted ones among them: the times tell of those
 * @example csafDocument(advisoriesOfOpenssl, publication)?.document
 */
export function csafDocument(
  advisories: readonly Advisory[],
  publication: Publication,
): JsonObject | undefined {
  const known = advisories.filter((advisory) => standingOf(advisory) !== undefined);
  const present = known.filter(({ deleteTime }) => deleteTime === undefined);
  // Readers know products by their package URLs, which have no component.
  const shown = withoutFalseClears(present, "packages");
  const [one] = shown;
  if (one === undefined) return undefined;
  const key = packageOf(one);
  const products = new Map<string, Product>();
  for (const advisory of shown) {
    for (const product of productsOf(advisory, publication)) products.set(product.id, product);
  }
  const { first } = timesOf(known);
  return {
    document: {
      category: "csaf_vex",
      csaf_version: "2.0",
      distribution: { tlp: { label: "WHITE", url: "https://www.first.org/tlp/v1/" } },
      lang: "en",
      publisher: {
        category: "vendor",
        name: publication.publisher,
        namespace: publication.namespace,
      },
      references: [
        {
          category: "self",
          summary: "This document",
          url: `${publication.url}/csaf/${csafPath(key, first)}`,
        },
      ],
      title: `Vulnerabilities of ${key.name}`,
      tracking: tracking(csafId(key), known),
    },
    product_tree: {
      full_product_names: [...products.values()]
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ id, name, purl }) => ({
          name,
          product_id: id,
          product_identification_helper: { purl },
        })),
    },
    vulnerabilities: vulnerabilities(shown, publication),
  };
}

/**
 * Every time at which something happened is a revision, numbered by that time: versions grow with every
 * change, and the same data always has the same ones. Only the first part has to count without gaps.
 */
function tracking(id: string, advisories: readonly Advisory[]): JsonObject {
  const { first, last } = timesOf(advisories);
  const happened = advisories.flatMap(({ events }) => events.filter(isPublic).map(timeOf));
  const times = [...new Set([first, ...happened, last])].sort((a, b) => a - b);
  const latest = times.at(-1) as number;
  return {
    current_release_date: rfc3339(latest),
    generator: { engine: { name: TOOL } },
    id,
    // Events may have happened elsewhere before they were published here.
    initial_release_date: rfc3339(first),
    revision_history: times.map((time) => ({
      date: rfc3339(time),
      number: versionAt(time),
      summary: time === times[0] ? "First known." : "Changed.",
    })),
    status: "final",
    version: versionAt(latest),
  };
}

function versionAt(time: number): string {
  return `1.0.${Math.max(time, 0)}`;
}
