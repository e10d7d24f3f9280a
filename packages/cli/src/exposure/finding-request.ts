import { FindingSeverity, FindingStatus } from "@wharf/contract";
import type { ArgsOf } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { resolveScope } from "../resolve/groups.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolveUid } from "../resolve/resolve.ts";
import type { SCOPE } from "../resource/options.ts";
import { definedFields, readPastTime } from "../resource/values.ts";
import { type FINDING_OPTIONS, SEVERITIES, STATUSES } from "./commands.ts";
import { resolveImage } from "./image-argument.ts";

export type Severity = (typeof SEVERITIES)[number];

const NUMBERS: Readonly<Record<Severity, FindingSeverity>> = {
  negligible: FindingSeverity.NEGLIGIBLE,
  low: FindingSeverity.LOW,
  medium: FindingSeverity.MEDIUM,
  high: FindingSeverity.HIGH,
  critical: FindingSeverity.CRITICAL,
};

const STATUS_NUMBERS: Readonly<Record<(typeof STATUSES)[number], FindingStatus>> = {
  affected: FindingStatus.AFFECTED,
  "not-affected": FindingStatus.NOT_AFFECTED,
  fixed: FindingStatus.FIXED,
  unknown: FindingStatus.UNKNOWN,
  accepted: FindingStatus.ACCEPTED,
};

export const ALL_STATUSES: FindingStatus[] = Object.values(STATUS_NUMBERS);

/** A severity and all that are more severe. */
export function severitiesFrom(severity: Severity): FindingSeverity[] {
  return SEVERITIES.slice(SEVERITIES.indexOf(severity)).map((one) => NUMBERS[one]);
}

type Args = ArgsOf<readonly [], typeof FINDING_OPTIONS & typeof SCOPE> & {
  readonly repo: string | undefined;
  readonly image?: string | undefined;
};

/** The request for the findings that the options select. */
export async function findingRequest(context: Context, args: Args) {
  const { image, repo, severity, vulnerability, since, minEpss } = args;
  if (image !== undefined && repo !== undefined) throw usageError("give either an image or --repo");
  const repoUid = repo === undefined ? undefined : await resolveUid(context, REPO, repo);
  return {
    uidp: await resolveScope(context, args),
    ...(image === undefined ? definedFields({ repoUid }) : await resolveImage(context, image)),
    severities: severity === undefined ? [] : severitiesFrom(severity),
    statuses: args.status.map(statusOf),
    vulnerabilities: [...vulnerability],
    ...definedFields({
      package: args.package,
      fixable: args.fixable || undefined,
      inUse: args.inUse || undefined,
      knownExploited: args.exploited || undefined,
      minExploitProbability: minEpss,
      firstSeenSince: since === undefined ? undefined : readPastTime("--since", since),
    }),
  };
}

function statusOf(text: string): FindingStatus {
  const status = STATUS_NUMBERS[text as keyof typeof STATUS_NUMBERS];
  if (status !== undefined) return status;
  throw usageError(`--status must be one of ${STATUSES.join(", ")}, not "${text}"`);
}
