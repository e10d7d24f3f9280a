import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { withoutFalseClears } from "./all-clears.ts";
import { assessmentOf, isPublic, timeOf } from "./assessment.ts";
import { csafId, csafPath } from "./csaf-file.ts";
import { fullProductName, type Product } from "./csaf-products.ts";
import {
  statementsByVulnerability,
  type VulnerabilityStatements,
  vulnerability,
} from "./csaf-vulnerabilities.ts";
import { packageOf } from "./names.ts";
import { type Publication, TOOL } from "./publication.ts";
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
  const known = advisories.filter((advisory) => assessmentOf(advisory) !== undefined);
  const present = known.filter(({ deleteTime }) => deleteTime === undefined);
  // Readers know products by their package URLs, which have no component.
  const shown = withoutFalseClears(present, "packages");
  const [one] = shown;
  if (one === undefined) return undefined;
  const key = packageOf(one);
  const groups = statementsByVulnerability(shown, publication);
  const { first } = timesOf(known);
  return {
    document: {
      category: "csaf_vex",
      csaf_version: "2.0",
      distribution: {
        tlp: {
          label: publication.isPublic ? "WHITE" : "AMBER",
          url: "https://www.first.org/tlp/v1/",
        },
      },
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
      full_product_names: productNames(groups, publication),
    },
    vulnerabilities: groups.map(vulnerability),
  };
}

/**
 * All products. Where several advisories are on one vulnerability, its products say which of them is about
 * each.
 */
function productNames(
  groups: readonly VulnerabilityStatements[],
  publication: Publication,
): JsonObject[] {
  const products = new Map<string, { product: Product; about: Advisory[] }>();
  for (const { advisories, statements } of groups) {
    for (const { product, advisory } of statements) {
      const entry = products.get(product.id) ?? { product, about: [] };
      products.set(product.id, entry);
      if (advisories.length > 1) entry.about.push(advisory);
    }
  }
  return [...products.values()]
    .sort((a, b) => (a.product.id < b.product.id ? -1 : 1))
    .map(({ product, about }) => fullProductName(product, about, publication));
}

/**
 * Every time at which something happened is a revision, numbered by that time: versions grow with every
 * change, and the same data always has the same ones. Only the first part has to count without gaps.
 */
function tracking(id: string, advisories: readonly Advisory[]): JsonObject {
  const { first, last } = timesOf(advisories);
  const happened = advisories.flatMap(({ events }) => events.filter(isPublic).map(timeOf));
  // What happened before 1970 has no number of its own, and no two revisions may share one.
  const counted = [first, ...happened, last].map((time) => Math.max(time, 0));
  const times = [...new Set(counted)].sort((a, b) => a - b);
  const latest = times.at(-1) as number;
  return {
    current_release_date: rfc3339(latest),
    generator: { engine: { name: TOOL } },
    id,
    // Events may have happened elsewhere before they were published here.
    initial_release_date: rfc3339(Math.max(first, 0)),
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
  return `1.0.${time}`;
}
