import type { DescField, DescMethod, Message } from "@bufbuild/protobuf";
import {
  type AccessRule,
  accessOf,
  capabilityName,
  isScope,
  needsRecentSignIn,
} from "@wharf/contract";
import type { Caller } from "../auth/caller.ts";
import { requireRecentSignIn } from "../auth/recent-sign-in.ts";
import { permissionDenied, WharfError } from "../lib/errors.ts";
import { fieldValue } from "./fields.ts";
import { mustBeUid } from "./validate.ts";

/** The access rule of a method, and the request field that holds the scope of the check. */
export interface Guard {
  readonly rule: AccessRule;
  readonly scope: Scope | undefined;
  /** Whether people in a browser must have signed in recently. */
  readonly isSensitive: boolean;
}

/** The scope of an access check. */
export interface Scope {
  /** The JSON name of the request field. */
  readonly field: string;
  /** The request field, as a path from the request. */
  readonly path: readonly DescField[];
  /** The UID in a request. */
  read(request: Message): string;
}

/** Reads the guard of a method from the contract. Throws if it is incomplete: access is denied by default. */
export function guardOf(method: DescMethod): Guard {
  const name = `${method.parent.typeName}/${method.name}`;
  const rule = accessOf(method);
  if (rule === undefined) throw new Error(`${name} has no access rule`);
  const isSensitive = needsRecentSignIn(method);
  if (rule.kind !== "scoped") return { rule, scope: undefined, isSensitive };
  if (rule.capabilities.length === 0) throw new Error(`${name} requires no capability`);
  const path = scopePath(method.input.fields);
  if (path === undefined) throw new Error(`${name} has no scope field`);
  const field = path.at(-1)?.jsonName ?? "";
  return { rule, scope: { field, path, read: (request) => follow(request, path) }, isSensitive };
}

/**
 * Whether a caller may call a method at all: at this scope or, if that is not known yet, anywhere. `checkAccess` has
 * the error otherwise.
 */
export function mayCall(
  { rule }: Guard,
  { grants, isOperator }: Caller,
  scope: string | undefined,
): boolean {
  if (rule.kind === "operator") return isOperator;
  if (rule.kind !== "scoped") return true;
  if (scope !== undefined) return grants.holds(rule.capabilities, scope);
  const reach = grants.reach(rule.capabilities);
  return "everything" in reach || reach.scopes.length > 0;
}

/**
 * Throws PERMISSION_DENIED unless the caller may send this request, INVALID_ARGUMENT for a malformed scope, and
 * UNAUTHENTICATED if only a new sign-in is missing.
 */
export function checkAccess(guard: Guard, caller: Caller, request: Message, now: number): void {
  checkAccessAt(guard, caller, guard.scope?.read(request) ?? "", now);
}

/** The same at the scope of a request. */
export function checkAccessAt(guard: Guard, caller: Caller, scope: string, now: number): void {
  checkRule(guard, caller, scope);
  if (guard.isSensitive) requireRecentSignIn(caller, now);
}

function checkRule({ rule, scope }: Guard, { grants, isOperator }: Caller, uid: string): void {
  if (rule.kind === "operator" && !isOperator) {
    throw new WharfError("PERMISSION_DENIED", "needs the operator's token");
  }
  if (rule.kind !== "scoped") return;
  if (grants.holds(rule.capabilities, uid)) return;
  // A missing or malformed scope is reported as such: it reveals nothing, and more permissions would not help.
  if (scope !== undefined) mustBeUid(scope.field, uid);
  throw permissionDenied(rule.capabilities.map(capabilityName), uid);
}

function scopePath(fields: readonly DescField[]): DescField[] | undefined {
  const field = fields.find(isScope);
  if (field === undefined) return undefined;
  if (field.fieldKind !== "message") return [field];
  const inner = scopePath(field.message.fields);
  return inner && [field, ...inner];
}

/** Only callers with global grants hold anything at an empty scope; validation rejects it for them. */
function follow(request: Message, path: readonly DescField[]): string {
  let value: unknown = request;
  for (const field of path) {
    value = value === undefined ? undefined : fieldValue(value as Message, field);
  }
  return (value as string | undefined) ?? "";
}
