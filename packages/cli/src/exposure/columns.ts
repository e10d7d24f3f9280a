import type {
  Finding,
  Fix,
  FoundVulnerability,
  ImagePackage,
  PackageImage,
  TagExposure,
} from "@wharf/client";
import { FindingSeverity, FindingStatus } from "@wharf/contract";
import type { Column } from "../output/columns.ts";
import { shortDigest } from "../output/short.ts";
import type { StyleName } from "../terminal/terminal.ts";

/** Words of enums as people write them: `not-affected`. */
export function wordOf(names: Readonly<Record<number, string>>, value: number): string {
  if (value === 0) return "";
  return (names[value] ?? String(value)).toLowerCase().replaceAll("_", "-");
}

export function severityWord(severity: FindingSeverity): string {
  return severity === FindingSeverity.UNSPECIFIED ? "unknown" : wordOf(FindingSeverity, severity);
}

export function statusWord(status: FindingStatus): string {
  return wordOf(FindingStatus, status);
}

interface InRepo {
  readonly repoPath: string;
  readonly tags: readonly string[];
  readonly digest: string;
  readonly platform?: string;
}

/** The platform that most images are for; those of others are named with theirs. */
export const DEFAULT_PLATFORM = "linux/amd64";

/** The name of an image for people: by a tag, otherwise by its digest. */
export function imageName({ repoPath, tags, digest, platform = "" }: InRepo): string {
  const [tag] = tags;
  const name = tag === undefined ? `${repoPath}@${shortDigest(digest)}` : `${repoPath}:${tag}`;
  return platform === "" || platform === DEFAULT_PLATFORM ? name : `${name} (${platform})`;
}

const STYLES: Readonly<Record<number, StyleName>> = {
  [FindingSeverity.CRITICAL]: "red",
  [FindingSeverity.HIGH]: "red",
  [FindingSeverity.MEDIUM]: "yellow",
  [FindingSeverity.LOW]: "dim",
  [FindingSeverity.NEGLIGIBLE]: "dim",
};

export const SEVERITY: Column<{ readonly severity: FindingSeverity }> = {
  header: "Severity",
  value: ({ severity }) => severityWord(severity),
  style: ({ severity }) => STYLES[severity],
};

export const VULNERABILITY: Column<{ readonly vulnerability: string }> = {
  header: "Vulnerability",
  value: ({ vulnerability }) => vulnerability,
  whole: true,
};

const IMAGE: Column<InRepo> = {
  header: "Image",
  value: ({ repoPath, digest }) => `${repoPath}@${digest}`,
  short: imageName,
};

const FACTS: readonly Column<{
  readonly knownExploited: boolean;
  readonly exploitProbability: number;
}>[] = [
  {
    header: "Exploited",
    value: ({ knownExploited }) => (knownExploited ? "yes" : "no"),
    wide: true,
  },
  {
    header: "EPSS",
    value: ({ exploitProbability }) => exploitProbability || undefined,
    wide: true,
  },
];

/**
 * The columns of findings. The default table leaves out what is the same in all rows: the image if one was named, the
 * vulnerability if one was, and the status unless a finding is something else than affected.
 */
export function findingColumns(
  all: readonly Finding[],
  named: { readonly image?: boolean; readonly vulnerability?: boolean },
): readonly Column<Finding>[] {
  const platforms = new Set(all.map(({ platform }) => platform));
  const isAffected = all.every(({ status }) => status === FindingStatus.AFFECTED);
  const { image = false, vulnerability = false } = named;
  return [
    { ...IMAGE, wide: image },
    { ...VULNERABILITY, wide: vulnerability },
    { ...SEVERITY, wide: vulnerability },
    {
      header: "Package",
      value: ({ package: one }) => one?.purl,
      short: ({ package: one }) => one?.name,
    },
    { header: "Version", value: ({ package: one }) => one?.version },
    { header: "Fixed in", value: ({ fixedVersions }) => fixedVersions },
    {
      header: "Status",
      value: ({ status }) => statusWord(status),
      wide: isAffected && !vulnerability,
    },
    {
      header: "Platform",
      value: ({ platform }) => platform,
      wide: !image || platforms.size === 1,
    },
    { header: "Since", value: ({ firstSeen }) => firstSeen, wide: !image },
    ...WIDE_COLUMNS,
  ];
}

const WIDE_COLUMNS: readonly Column<Finding>[] = [
  { header: "In use", value: ({ inUse }) => (inUse ? "yes" : "no"), wide: true },
  { header: "Tags", value: ({ tags }) => tags, wide: true },
  { header: "Aliases", value: ({ aliases }) => aliases, wide: true },
  ...FACTS,
  { header: "Records", value: ({ basis }) => basis?.records, wide: true },
  { header: "Remarks", value: ({ basis }) => basis?.remarks, wide: true },
  {
    header: "Reason",
    value: ({ decision }) => decision?.reason || decision?.justification,
    wide: true,
  },
  {
    header: "Decided by",
    value: ({ decision }) => decision?.authorName || decision?.author,
    wide: true,
  },
  { header: "Until", value: ({ decision }) => decision?.expireTime, wide: true },
];

export const VULNERABILITY_COLUMNS: readonly Column<FoundVulnerability>[] = [
  VULNERABILITY,
  SEVERITY,
  { header: "Images", value: ({ images }) => images },
  { header: "In use", value: ({ imagesInUse }) => imagesInUse },
  { header: "Fix", value: ({ fixable }) => (fixable ? "yes" : "no") },
  { header: "Packages", value: ({ packages }) => packages },
  { header: "Repos", value: ({ repos }) => repos, wide: true },
  { header: "Since", value: ({ firstSeen }) => firstSeen, wide: true },
  ...FACTS,
  { header: "Aliases", value: ({ aliases }) => aliases, wide: true },
  { header: "Summary", value: ({ summary }) => summary, wide: true },
];

export const FIX_COLUMNS: readonly Column<Fix>[] = [
  { header: "Package", value: (fix) => fix.package },
  { header: "Update to", value: ({ version }) => version },
  SEVERITY,
  { header: "Findings", value: ({ findings }) => findings },
  { header: "Images", value: ({ images }) => images },
  { header: "Ecosystem", value: ({ ecosystem }) => ecosystem },
  { header: "Vulnerabilities", value: ({ vulnerabilities }) => vulnerabilities, wide: true },
];

export const TAG_COLUMNS: readonly Column<TagExposure>[] = [
  { header: "Tag", value: ({ tag }) => tag, whole: true },
  { header: "Status", value: tagStatus },
  { header: "Versions", value: ({ versions }) => versions },
  { header: "Updated", value: ({ updateTime }) => updateTime },
  { header: "Digest", value: ({ digest }) => digest, wide: true },
];

/** A tag without the vulnerability is clean only if its packages are known. */
function tagStatus({ status, known }: TagExposure): string {
  if (status !== FindingStatus.UNSPECIFIED) return statusWord(status);
  return known ? "not present" : "packages unknown";
}

export const PACKAGE_COLUMNS: readonly Column<ImagePackage>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "Version", value: ({ version }) => version },
  { header: "Ecosystem", value: ({ ecosystem }) => ecosystem },
  { header: "License", value: ({ license }) => license },
  { header: "Origin", value: ({ origin }) => origin },
  { header: "Package URL", value: ({ purl }) => purl, wide: true },
  { header: "Location", value: ({ location }) => location, wide: true },
];

export const PACKAGE_IMAGE_COLUMNS: readonly Column<PackageImage>[] = [
  IMAGE,
  { header: "Package", value: ({ package: one }) => one?.name },
  { header: "Version", value: ({ package: one }) => one?.version },
  { header: "In use", value: ({ inUse }) => (inUse ? "yes" : "no") },
  { header: "Pushed", value: ({ pushTime }) => pushTime },
  { header: "Platform", value: ({ platform }) => platform, wide: true },
  { header: "Tags", value: ({ tags }) => tags, wide: true },
  { header: "Package URL", value: ({ package: one }) => one?.purl, wide: true },
];
