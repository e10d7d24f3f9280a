import { gzipSync } from "node:zlib";
import type { ScannedVulnerability, ScanReport } from "@wharf/client";
import type { Run } from "../command/types.ts";
import { readBytes } from "../command/values.ts";
import { SEVERITY, severityWord, statusWord, VULNERABILITY } from "../exposure/columns.ts";
import { resolveImage } from "../exposure/image-argument.ts";
import type { Column } from "../output/columns.ts";
import type {
  compareDefinition,
  getDefinition,
  listDefinition,
  uploadDefinition,
} from "./commands.ts";

/** The limit of the server, for the decompressed report. */
const MAX_BYTES = 64 * 1024 * 1024;

const COLUMNS: readonly Column<ScanReport>[] = [
  { header: "Scanner", value: ({ scanner }) => scanner, whole: true },
  { header: "Version", value: ({ scannerVersion }) => scannerVersion },
  { header: "Uploaded", value: ({ createTime }) => createTime },
  {
    header: "Findings",
    value: ({ severities }) =>
      severities.map(({ severity, open }) => `${open} ${severityWord(severity)}`).join(", ") ||
      "none",
  },
  { header: "Database", value: ({ databaseTime }) => databaseTime },
  { header: "Uploaded by", value: ({ authorName, author }) => authorName || author },
  { header: "Size", value: ({ size }) => size, wide: true },
];

export const upload: Run<typeof uploadDefinition> = async (context, { image, file }) => {
  const content = gzipSync(readBytes("FILE", file, MAX_BYTES));
  const named = await resolveImage(context, image);
  const { scanReports } = await context.client();
  const report = await scanReports.upload({ ...named, content }, { signal: context.signal });
  context.err.note(`stored the report of ${report.scanner} for ${image}`);
  await context.out.one(report, COLUMNS, { id: ({ scanner }) => scanner });
};

export const list: Run<typeof listDefinition> = async (context, args) => {
  const named = await resolveImage(context, args.image);
  const { scanReports } = await context.client();
  const { reports } = await scanReports.list(named, { signal: context.signal });
  await context.out.list(reports, COLUMNS, {
    id: ({ scanner }) => scanner,
    what: "reports",
    arrangement: args,
  });
};

interface Compared extends ScannedVulnerability {
  readonly foundBy: string;
}

const COMPARED: readonly Column<Compared>[] = [
  VULNERABILITY,
  { header: "Found by", value: ({ foundBy }) => foundBy },
  SEVERITY,
  { header: "Package", value: (one) => one.package, short: (one) => nameOf(one.package) },
  { header: "Fixed in", value: ({ fixedVersions }) => fixedVersions },
  { header: "Server says", value: ({ status }) => statusWord(status) },
  { header: "Why", value: ({ reason }) => reason },
];

/** The name and version of a package URL; scanners also report packages by name. */
function nameOf(purl: string): string {
  const [path = ""] = purl.split(/[?#]/);
  return purl.startsWith("pkg:") ? decodeURIComponent(path.slice(path.lastIndexOf("/") + 1)) : purl;
}

export const compare: Run<typeof compareDefinition> = async (context, args) => {
  const { scanner } = args;
  const named = await resolveImage(context, args.image);
  const { scanReports } = await context.client();
  const found = await scanReports.compare({ ...named, scanner }, { signal: context.signal });
  const from = (foundBy: string, some: readonly ScannedVulnerability[]) =>
    some.map((one) => ({ ...one, foundBy }));
  const all = [
    ...from(`${scanner} only`, found.scannerOnly),
    ...from("server only", found.serviceOnly),
    ...from("both", found.both),
  ];
  await context.out.list(all, COMPARED, {
    id: ({ vulnerability }) => vulnerability,
    what: "findings",
    arrangement: args,
  });
};

export const get: Run<typeof getDefinition> = async (context, { image, scanner }) => {
  const named = await resolveImage(context, image);
  const { scanReports } = await context.client();
  const { content } = await scanReports.get({ ...named, scanner }, { signal: context.signal });
  context.out.text(new TextDecoder().decode(content).trimEnd());
};
