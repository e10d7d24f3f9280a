import { toJson } from "@bufbuild/protobuf";
import { findingsDocument, NoFindingsError } from "@wharf/advisories/findings";
import type { Finding } from "@wharf/client";
import { FindingSchema, FindingStatus } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { CommandError, EXIT, failed } from "../errors.ts";
import type { Arrangement } from "../output/arrange.ts";
import { counted } from "../output/counted.ts";
import { resolveScope } from "../resolve/groups.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import { definedFields } from "../resource/values.ts";
import { version } from "../version.ts";
import {
  FIX_COLUMNS,
  findingColumns,
  severityWord,
  TAG_COLUMNS,
  VULNERABILITY_COLUMNS,
} from "./columns.ts";
import type {
  EXPORTS,
  fixesDefinition,
  listDefinition,
  overviewDefinition,
  showDefinition,
  vulnerabilitiesDefinition,
} from "./commands.ts";
import { ALL_STATUSES, findingRequest, type Severity, severitiesFrom } from "./finding-request.ts";
import { requireKnownPackages, warnOfUnknownPackages } from "./known-packages.ts";
import { printOverview } from "./overview.ts";

/** Prints findings, and fails if one is as severe as the pipeline does not accept. */
export const list: Run<typeof listDefinition> = async (context, args) => {
  const { image, failOn } = args;
  const request = await findingRequest(context, args);
  if (image !== undefined && "digest" in request) {
    if (failOn === undefined) await warnOfUnknownPackages(context, request);
    else await requireKnownPackages(context, request, image);
  }
  const { findings } = await context.client();
  const all = await context.progress("listing findings", () =>
    Array.fromAsync(findings.listAll(request, { signal: context.signal })),
  );
  if (args.as === undefined)
    await printFindings(context, all, args, { image: image !== undefined });
  else printDocument(context, args.as, all);
  if (failOn !== undefined) failOnFindings(failOn, all);
};

function printDocument(
  { out, settings }: Context,
  format: (typeof EXPORTS)[number],
  all: readonly Finding[],
): void {
  const [registry = ""] = settings.registry.split(",");
  const findings = all.map((one) => toJson(FindingSchema, one));
  const origin = { time: new Date(), registry, version: version() };
  try {
    out.text(JSON.stringify(findingsDocument(format, findings, origin), null, 2));
  } catch (error) {
    if (!(error instanceof NoFindingsError)) throw error;
    throw failed(error.message, "--as cyclonedx and --as sarif write documents without findings");
  }
}

function printFindings(
  context: Context,
  all: readonly Finding[],
  arrangement: Arrangement,
  named: Parameters<typeof findingColumns>[1],
): Promise<void> {
  const id = ({ vulnerability }: Finding) => vulnerability;
  return context.out.list(all, findingColumns(all, named), { id, what: "findings", arrangement });
}

const OPEN: ReadonlySet<FindingStatus> = new Set([FindingStatus.AFFECTED, FindingStatus.UNKNOWN]);

/** Suppressed findings fail nothing. */
function failOnFindings(severity: Severity, all: readonly Finding[]): void {
  const severe = new Set(severitiesFrom(severity));
  const found = all.filter((one) => severe.has(one.severity) && OPEN.has(one.status));
  const [first] = found;
  if (first === undefined) return;
  throw new CommandError({
    message: `${counted(found.length, "finding")} of severity ${severity} or above, such as ${first.vulnerability}`,
    exitCode: EXIT.findings,
  });
}

export const vulnerabilities: Run<typeof vulnerabilitiesDefinition> = async (context, args) => {
  const request = await findingRequest(context, args);
  const { findings } = await context.client();
  const items = findings.listFoundVulnerabilitiesAll(request, { signal: context.signal });
  await context.progress("listing vulnerabilities", () =>
    context.out.list(items, VULNERABILITY_COLUMNS, {
      id: ({ vulnerability }) => vulnerability,
      what: "vulnerabilities",
      arrangement: args,
    }),
  );
};

export const show: Run<typeof showDefinition> = async (context, args) => {
  const { vulnerability, repo } = args;
  const { findings } = await context.client();
  const { signal } = context;
  if (repo !== undefined) {
    const repoUid = await resolveUid(context, REPO, repo);
    const tags = findings.listFixedTagsAll({ repoUid, vulnerability }, { signal });
    const id = ({ tag }: { tag: string }) => tag;
    return context.out.list(tags, TAG_COLUMNS, { id, what: "tags", arrangement: args });
  }
  const uidp = await resolveScope(context, args);
  const request = { uidp, vulnerabilities: [vulnerability], statuses: ALL_STATUSES };
  const all = await context.progress("listing images", () =>
    Array.fromAsync(findings.listAll(request, { signal })),
  );
  const [first] = all;
  if (first !== undefined) context.err.note(headingOf(first));
  const id = ({ digest }: Finding) => digest;
  await context.out.list(all, findingColumns(all, { vulnerability: true }), {
    ...{ id, what: "images with this vulnerability", arrangement: args },
  });
};

/** The vulnerability in a line: name, severity, summary and other names. */
function headingOf({ vulnerability, severity, summary, aliases }: Finding): string {
  const others = aliases.length > 0 ? ` (also ${aliases.join(", ")})` : "";
  return `${vulnerability}${others}: ${severityWord(severity)}${summary && `, ${summary}`}`;
}

export const fixes: Run<typeof fixesDefinition> = async (context, args) => {
  const { repo, inUse } = args;
  const repoUid = repo === undefined ? undefined : await resolveUid(context, REPO, repo);
  const request = {
    uidp: await resolveScope(context, args),
    inUse,
    ...definedFields({ repoUid }),
  };
  const { findings } = await context.client();
  const items = findings.listFixesAll(request, { signal: context.signal });
  await context.progress("listing fixes", () =>
    context.out.list(items, FIX_COLUMNS, {
      id: (fix) => fix.package,
      what: "fixes",
      arrangement: args,
    }),
  );
};

export const overview: Run<typeof overviewDefinition> = async (context, args) => {
  const { days, inUse } = args;
  const { findings } = await context.client();
  const request = { uidp: await resolveScope(context, args), days, inUse };
  const numbers = await findings.getExposure(request, { signal: context.signal });
  await printOverview(context, numbers);
};
