import { create } from "@bufbuild/protobuf";
import {
  type AccessCheck,
  type BatchCheckAccessRequest,
  BatchCheckAccessRequestSchema,
  BatchCheckAccessResponseSchema,
} from "@wharf/contract";
import type { AuditedDeps } from "../../engine/audit/aggregator.ts";
import { auditDeniedCall, denialOf } from "../../engine/audit/denial.ts";
import type { ResourceAccess } from "../../engine/catalog.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import type { WharfError } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { validate } from "../../rpc/validate.ts";
import { mustBeCapability } from "./check.ts";
import { readConsistently } from "./consistent-read.ts";
import { Decisions } from "./decisions.ts";

export interface BatchCheckDeps extends ResourceAccess, ListDeps, AuditedDeps {}

/** Decides many questions at one access version. It writes audit entries for denials, so it does not only read. */
export function batchCheckAccessMethod(deps: BatchCheckDeps): Handler {
  return async (call, message) => {
    const request = message as BatchCheckAccessRequest;
    validate(BatchCheckAccessRequestSchema, request);
    const { checks } = request;
    for (const [at, { capability }] of checks.entries()) {
      mustBeCapability(capability, `checks[${at}].capability`);
    }
    const decided = await readConsistently(deps.store, (version) =>
      decideAll(deps, call, version, checks),
    );
    const results = await Promise.all(
      decided.map((one) =>
        typeof one === "boolean" ? { allowed: one } : errorOf(deps, call, one),
      ),
    );
    const response = create(BatchCheckAccessResponseSchema, { results });
    return messageReply(BatchCheckAccessResponseSchema, response);
  };
}

async function decideAll(
  deps: BatchCheckDeps,
  call: Call,
  version: number,
  checks: readonly AccessCheck[],
): Promise<(boolean | WharfError)[]> {
  const decisions = new Decisions(deps, call, version);
  const task = deps.lists.task(call, call);
  const decided: (boolean | WharfError)[] = [];
  for (const check of checks) {
    const decision = decisions.decide(check);
    if (!(decision instanceof Promise)) decided.push(decision);
    else {
      decided.push(await decision);
      await task.pause();
    }
  }
  return decided;
}

/** The error that a call with nothing else would have. */
async function errorOf(deps: BatchCheckDeps, call: Call, decided: WharfError) {
  const error = await denialOf(deps.store, decided, call.caller);
  if (error.code === "PERMISSION_DENIED") await auditDeniedCall(deps.audit, call, error);
  return { error: { code: error.number, message: error.message } };
}
