import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { withoutFalseClears } from "./all-clears.ts";
import { assessmentsOf, isPublic, timeOf } from "./assessment.ts";
import { csafId, csafPath, csafTitle, tlpLabel } from "./csaf-file.ts";
import { type Product, productTree, type TreeEntry } from "./csaf-products.ts";
import {
  statementsByVulnerability,
  type VulnerabilityStatements,
  vulnerability,
} from "./csaf-vulnerabilities.ts";
import { packageOf } from "./names.ts";
import { type Publication, TOOL } from "./publication.ts";
import { rfc3339, timesOf } from "./times.ts";

/**
 * The CSAF 2.0 VEX document of one package; undefined while it has no published advisory.
 *
 * @param advisories all of one package, including deleted ones, which count for the revision history
 * @example csafDocument(advisoriesOfOpenssl, publication)?.document
 */
export function csafDocument(
  advisories: readonly Advisory[],
  publication: Publication,
): JsonObject | undefined {
  const known = advisories.filter((advisory) => assessmentsOf(advisory).length > 0);
  const present = known.filter(({ deleteTime }) => deleteTime === undefined);
  // Readers identify products by package URL, which has no component.
  const shown = withoutFalseClears(present, "packages", publication);
  const [one] = shown;
  if (one === undefined) return undefined;
  const key = packageOf(one.advisory);
  const groups = statementsByVulnerability(shown, publication);
  const { first } = timesOf(known);
  return {
    document: {
      category: "csaf_vex",
      csaf_version: "2.0",
      distribution: {
        tlp: {
          label: tlpLabel(publication),
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
      title: csafTitle(key),
      tracking: tracking(csafId(key), known),
    },
    product_tree: productTree(treeEntries(groups), publication),
    vulnerabilities: groups.map(vulnerability),
  };
}

/**
 * All products. If several advisories share a vulnerability, its products name the advisory that each belongs
 * to.
 */
function treeEntries(groups: readonly VulnerabilityStatements[]): TreeEntry[] {
  const products = new Map<string, { product: Product; about: Advisory[] }>();
  for (const { advisories, statements } of groups) {
    for (const { product, advisory } of statements) {
      const entry = products.get(product.id) ?? { product, about: [] };
      products.set(product.id, entry);
      if (advisories.length > 1) entry.about.push(advisory);
    }
  }
  return [...products.values()].sort((a, b) => (a.product.id < b.product.id ? -1 : 1));
}

/**
 * Every time of an event is a revision, numbered by that time: versions increase with every change, and the same
 * data always has the same versions. CSAF requires consecutive numbers only for the major version.
 */
function tracking(id: string, advisories: readonly Advisory[]): JsonObject {
  const { first, last } = timesOf(advisories);
  const eventTimes = advisories.flatMap(({ events }) => events.filter(isPublic).map(timeOf));
  // Times before 1970 have no version number, and revisions must not share one.
  const counted = [first, ...eventTimes, last].map((time) => Math.max(time, 0));
  const times = [...new Set(counted)].sort((a, b) => a - b);
  const latest = times.at(-1) as number;
  return {
    current_release_date: rfc3339(latest),
    generator: { engine: { name: TOOL } },
    id,
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
