import type { FindingsFormat } from "@wharf/advisories/findings";
import { command, define, group, type Option, type Options } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { REPO } from "../resolve/kinds.ts";
import { listOptions, SCOPE } from "../resource/options.ts";

const load = () => import("./run.ts");
const loadPackages = () => import("./packages.ts");

/** From the least to the most severe. */
export const SEVERITIES = ["negligible", "low", "medium", "high", "critical"] as const;

export const STATUSES = ["affected", "not-affected", "fixed", "unknown", "accepted"] as const;

export const EXPORTS = [
  "sarif",
  "cyclonedx",
  "openvex",
] as const satisfies readonly FindingsFormat[];

/** An image in arguments. */
export const IMAGE = {
  name: "image",
  summary: "Image: REPO:TAG or REPO@DIGEST",
  required: true,
} as const;

const REPO_OPTION = {
  type: "string",
  summary: "Only images of this repo: name or UID",
  complete: completeOf(REPO),
} as const satisfies Option;

/** Filters of findings, and what a pipeline does with them. */
export const FINDING_OPTIONS = {
  severity: {
    type: "choice",
    choices: SEVERITIES,
    value: "SEVERITY",
    summary: "Only findings of at least this severity",
  },
  status: {
    type: "list",
    value: "STATUS",
    summary: `Only these statuses: ${STATUSES.join(", ")} (default: affected, unknown)`,
  },
  vulnerability: { type: "list", value: "ID", summary: "Only these vulnerabilities: any alias" },
  package: { type: "string", value: "NAME", summary: "Only this package: name or package URL" },
  fixable: { type: "boolean", summary: "Only findings with a fix" },
  "in-use": {
    type: "boolean",
    summary: "Only images that are deployed, or were pushed or pulled in the last 30 days",
  },
  exploited: { type: "boolean", summary: "Only vulnerabilities that CISA lists as exploited" },
  "min-epss": {
    type: "number",
    value: "PROBABILITY",
    summary: "Only vulnerabilities with at least this probability of being exploited (EPSS)",
  },
  since: {
    type: "string",
    value: "TIME",
    summary: "Only findings first seen since: such as 2026-01-31, or a duration such as 7d",
  },
  "fail-on": {
    type: "choice",
    choices: SEVERITIES,
    value: "SEVERITY",
    summary: "Exit with 8 if a finding in the list is at least this severe",
  },
  as: {
    type: "choice",
    choices: EXPORTS,
    value: "FORMAT",
    summary: "Print a document instead: sarif, cyclonedx (VEX) or openvex",
  },
} as const satisfies Options;

export const listDefinition = define({
  name: "list",
  aliases: ["ls"],
  summary: "List the findings of images: which vulnerabilities affect them",
  description: `One line for each image, package and vulnerability; the most severe first. Findings that a decision or a
VEX statement suppresses are listed with --status not-affected,fixed,accepted.`,
  examples: [
    { command: "wharf exposure list --parent acme --severity high --in-use" },
    {
      command: "wharf exposure list acme/app:1.2 --fixable --fail-on high",
      shows: "in a pipeline: exit code 8 if something severe can be fixed",
    },
    { command: "wharf exposure list --vulnerability CVE-2026-0001 -o csv" },
    { command: "wharf exposure list acme/app:1.2 --as sarif > findings.sarif" },
  ],
  arguments: [{ ...IMAGE, required: false }],
  options: { ...FINDING_OPTIONS, repo: REPO_OPTION, ...SCOPE, ...listOptions() },
});

export const vulnerabilitiesDefinition = define({
  name: "vulnerabilities",
  aliases: ["cves"],
  summary: "List the vulnerabilities behind the findings, with the number of images",
  examples: [{ command: "wharf exposure vulnerabilities --parent acme --in-use" }],
  options: { ...FINDING_OPTIONS, repo: REPO_OPTION, ...SCOPE, ...listOptions() },
});

export const showDefinition = define({
  name: "show",
  aliases: ["describe", "get"],
  summary: "Show which images a vulnerability affects, why, and where it is fixed",
  examples: [
    { command: "wharf exposure show CVE-2026-0001" },
    {
      command: "wharf exposure show CVE-2026-0001 --repo acme/app",
      shows: "which tags of the repo have the fix",
    },
  ],
  arguments: [{ name: "vulnerability", summary: "Name, such as CVE-2026-0001", required: true }],
  options: { repo: REPO_OPTION, ...SCOPE, ...listOptions() },
});

export const fixesDefinition = define({
  name: "fixes",
  summary: "List the package updates that resolve the most findings",
  examples: [{ command: "wharf exposure fixes --parent acme --in-use" }],
  options: {
    repo: REPO_OPTION,
    "in-use": FINDING_OPTIONS["in-use"],
    ...SCOPE,
    ...listOptions(),
  },
});

export const overviewDefinition = define({
  name: "overview",
  summary: "Show the numbers of images and open findings, and how they change",
  examples: [{ command: "wharf exposure overview --parent acme --days 30" }],
  options: {
    days: { type: "number", value: "NUMBER", default: 14, summary: "Days of the history" },
    "in-use": FINDING_OPTIONS["in-use"],
    ...SCOPE,
  },
});

export const diffDefinition = define({
  name: "diff",
  summary: "Compare two images: packages and findings",
  description: "The second image may be a tag or digest alone, of the same repo.",
  examples: [
    { command: "wharf exposure diff acme/app:1.2 1.3" },
    { command: "wharf exposure diff acme/app:1.2 acme/app@sha256:… -o json" },
  ],
  arguments: [
    { ...IMAGE, name: "from", summary: "First image: REPO:TAG or REPO@DIGEST" },
    { ...IMAGE, name: "to", summary: "Second image: the same, or a tag or digest of that repo" },
  ],
  options: {
    platform: { type: "string", summary: "Platform, such as linux/arm64 (default: linux/amd64)" },
  },
});

export const packagesDefinition = define({
  name: "packages",
  summary: "List the images that contain a package",
  examples: [
    { command: "wharf exposure packages log4j-core" },
    {
      command: "wharf exposure packages openssl --ecosystem Alpine --versions '>=3.0,<3.0.7'",
      shows: "in the order of versions of that ecosystem",
    },
    { command: "wharf exposure packages pkg:npm/lodash --in-use -o csv" },
  ],
  arguments: [{ name: "package", summary: "Name or package URL", required: true }],
  options: {
    ecosystem: { type: "string", summary: "Only this ecosystem, such as npm or Alpine:v3.20" },
    versions: { type: "string", value: "RANGE", summary: "Only versions in this range" },
    "in-use": FINDING_OPTIONS["in-use"],
    ...SCOPE,
    ...listOptions(),
  },
});

export const INVENTORY_STATES = ["waiting", "known", "none", "refused"] as const;

export const imagesDefinition = define({
  name: "images",
  summary: "List images with a tag by whether their packages are known",
  description: `The packages of an image are known, waiting to be read, or none: there is no SBOM, and the layers have no
database of packages. Documents and layers that cannot be read are refused, with a reason.`,
  examples: [
    {
      command: "wharf exposure images --state none,refused --parent acme",
      shows: "images about which nothing can be said",
    },
  ],
  options: {
    state: {
      type: "list",
      value: "STATE",
      summary: `Only these states: ${INVENTORY_STATES.join(", ")}`,
    },
    "in-use": FINDING_OPTIONS["in-use"],
    ...SCOPE,
    ...listOptions(),
  },
});

export const searchDefinition = define({
  name: "search",
  summary: "Find vulnerabilities, packages and images by a part of their name",
  examples: [{ command: "wharf exposure search openssl" }],
  arguments: [{ name: "text", summary: "Part of a name, or a digest", required: true }],
  options: { ...SCOPE },
});

export const exposure = group({
  name: "exposure",
  summary: "Find out which images are affected by vulnerabilities, and where they are fixed",
  commands: [
    command(overviewDefinition, load, "overview"),
    command(listDefinition, load, "list"),
    command(vulnerabilitiesDefinition, load, "vulnerabilities"),
    command(showDefinition, load, "show"),
    command(fixesDefinition, load, "fixes"),
    command(diffDefinition, loadPackages, "diff"),
    command(packagesDefinition, loadPackages, "packages"),
    command(imagesDefinition, () => import("./images.ts"), "images"),
    command(searchDefinition, loadPackages, "search"),
  ],
});
