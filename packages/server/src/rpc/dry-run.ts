import type { DescMethod } from "@bufbuild/protobuf";
import { accessOf, httpRulesOf } from "@wharf/contract";
import { invalidArgument } from "../lib/errors.ts";
import type { Reply, RequestInfo } from "./call.ts";

/** The header, or metadata entry, of a dry run: the method does everything but commit. */
export const DRY_RUN_HEADER = "wharf-dry-run";

/** Which methods can be tried. All others reject the header: by default, nothing can be. */
export interface DryRuns {
  /** Methods that write in transactions of their call, and nothing else. */
  readonly methods: ReadonlySet<DescMethod>;
  /** A reply without secrets: none was issued. */
  withoutSecrets(method: DescMethod, reply: Reply): Reply;
}

/** Whether a request is a dry run. Rejects values that may be meant as one. */
export function isDryRun({ dryRun }: Pick<RequestInfo, "dryRun">): boolean {
  if (dryRun === undefined || dryRun === "false") return false;
  if (dryRun === "true") return true;
  const description = `${DRY_RUN_HEADER} must be true or false, not ${JSON.stringify(dryRun)}`;
  throw invalidArgument({ field: DRY_RUN_HEADER, description });
}

/** Reads change nothing. Public methods that are called with GET do: they exchange tokens, and deliver them once. */
export function onlyReadsByRoute(method: DescMethod): boolean {
  const isGet = httpRulesOf(method).every(({ verb }) => verb === "GET");
  return isGet && accessOf(method)?.kind !== "anyone";
}

export function notTriable(what: string): Error {
  const description = `${what} cannot be a dry run: it is none of the writes that can be rolled back`;
  return invalidArgument({ field: DRY_RUN_HEADER, description });
}
