/** The options of the contract as plain values. Decoding is slow, so the results are cached. */
import {
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  fromBinary,
  getOption,
  hasOption,
  type Message,
} from "@bufbuild/protobuf";
import type { GenExtension } from "@bufbuild/protobuf/codegenv2";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import type { FieldOptions, MethodOptions } from "@bufbuild/protobuf/wkt";
import { http } from "../gen/google/api/annotations_pb.js";
import { FieldBehavior, field_behavior } from "../gen/google/api/field_behavior_pb.js";
import type { HttpRule } from "../gen/google/api/http_pb.js";
import {
  access,
  Event_Group,
  event,
  type Rules,
  rules,
  scope,
} from "../gen/wharf/annotations/annotations_pb.js";
import { cached } from "./cached.ts";
import type { Capability } from "./capabilities.ts";

export type { Rules };

/** The access rule of a method. */
export type AccessRule =
  /** Public: needs no token. */
  | { readonly kind: "anyone" }
  /** Needs any valid token. */
  | { readonly kind: "authenticated" }
  /** Needs the operator's token. */
  | { readonly kind: "operator" }
  /** Needs all capabilities at the UID in the scope field. */
  | { readonly kind: "scoped"; readonly capabilities: readonly Capability[] }
  /** Acts only on resources at which the caller has all capabilities. */
  | { readonly kind: "unscoped"; readonly capabilities: readonly Capability[] };

/** The event that a successful call emits. */
export interface EventRule {
  /** Without the prefix of the installation. */
  readonly type: string;
  /** The group of the event, relative to the resource. */
  readonly group: "parent" | "self" | "root";
}

/** An HTTP binding of a method. */
export interface HttpBinding {
  readonly verb: "GET" | "PUT" | "POST" | "DELETE" | "PATCH";
  /** The template, such as `/iam/v2beta1/groups/{uid=**}`. */
  readonly path: string;
  /** The request field that the body holds; `*` for the whole request, empty for no body. */
  readonly body: string;
}

export interface Behavior {
  readonly required: boolean;
  readonly outputOnly: boolean;
  readonly inputOnly: boolean;
  readonly immutable: boolean;
}

/**
 * The bytes of an option; undefined if it is not set. The getOption of the library creates a type for each option that
 * it reads, which took 10% of the startup time.
 */
function optionBytes(
  { proto }: DescMethod | DescField,
  { number }: DescExtension,
): BinaryReader | undefined {
  const set = proto.options?.$unknown?.find(({ no }) => no === number);
  return set && new BinaryReader(set.data);
}

/** Decodes a message option. */
function messageOption<Value extends Message>(
  of: DescMethod | DescField,
  option: GenExtension<MethodOptions, Value> | GenExtension<FieldOptions, Value>,
): Value | undefined {
  const bytes = optionBytes(of, option)?.bytes();
  return bytes && (fromBinary(option.message as DescMessage, bytes) as Value);
}

const accessOption = /* @__PURE__ */ cached((method: DescMethod) => messageOption(method, access));

/**
 * The access rule of a method; undefined if it has none. Such a method must not be served.
 *
 * @example accessOf(GroupsService.method.getGroup) // { kind: "scoped", capabilities: [103] }
 */
export const accessOf = /* @__PURE__ */ cached((method: DescMethod): AccessRule | undefined => {
  const rule = accessOption(method)?.rule;
  if (rule?.case === undefined) return undefined;
  if (rule.case === "scoped" || rule.case === "unscoped") {
    return { kind: rule.case, capabilities: rule.value.capabilities };
  }
  return { kind: rule.case };
});

/**
 * Whether a method needs a recent sign-in, where its caller is a person in a browser.
 *
 * @example needsRecentSignIn(GroupsService.method.deleteGroup) // true
 */
export function needsRecentSignIn(method: DescMethod): boolean {
  return accessOption(method)?.recentSignIn ?? false;
}

/**
 * The event of a method; undefined if it emits none.
 *
 * @example eventOf(GroupsService.method.createGroup) // { type: "iam.group.created.v1", group: "self" }
 */
export const eventOf = /* @__PURE__ */ cached((method: DescMethod): EventRule | undefined => {
  const set = messageOption(method, event);
  if (set === undefined) return undefined;
  const { type, group } = set;
  if (group === Event_Group.SELF) return { type, group: "self" };
  return { type, group: group === Event_Group.ROOT ? "root" : "parent" };
});

/** The end of the event type of a create: `iam.group.created.v1`, `iam.rolebindings.created.batch.v1`. */
const CREATED = /\.(created|generated|imported)\.(batch\.)?v\d+$/;

/**
 * Whether a method creates something, according to its event. Such methods accept an idempotency key.
 *
 * @example isCreate(GroupsService.method.createGroup) // true
 */
export function isCreate(method: DescMethod): boolean {
  return CREATED.test(eventOf(method)?.type ?? "");
}

/**
 * The HTTP bindings of a method, the primary one first.
 *
 * @example httpRulesOf(GroupsService.method.listGroups) // [{ verb: "GET", path: "/iam/v2beta1/groups", body: "" }]
 */
export const httpRulesOf = /* @__PURE__ */ cached((method: DescMethod): readonly HttpBinding[] => {
  const rule = messageOption(method, http);
  if (rule === undefined) return [];
  return [rule, ...rule.additionalBindings].map((each) => bindingOf(each, method));
});

function bindingOf({ pattern, body }: HttpRule, method: DescMethod): HttpBinding {
  if (pattern.case === undefined || pattern.case === "custom") {
    throw new TypeError(`${method} has an HTTP rule without a standard verb`);
  }
  const verb = pattern.case.toUpperCase() as HttpBinding["verb"];
  return { verb, path: pattern.value, body };
}

/** @example fieldBehavior(GroupSchema.field.name).required // true */
export const fieldBehavior = /* @__PURE__ */ cached((field: DescField): Behavior => {
  const all = hasOption(field, field_behavior) ? getOption(field, field_behavior) : [];
  return {
    required: all.includes(FieldBehavior.REQUIRED),
    outputOnly: all.includes(FieldBehavior.OUTPUT_ONLY),
    inputOnly: all.includes(FieldBehavior.INPUT_ONLY),
    immutable: all.includes(FieldBehavior.IMMUTABLE),
  };
});

/** @example rulesOf(GroupSchema.field.name)?.pattern // "^[a-z0-9 ._-]{1,}$" */
export const rulesOf = /* @__PURE__ */ cached((field: DescField): Rules | undefined =>
  messageOption(field, rules),
);

/**
 * Whether access is checked at the UID in this field or, for a message field, in the scope field of that message.
 *
 * @example isScope(GetGroupRequestSchema.field.uid) // true
 */
export function isScope(field: DescField): boolean {
  return optionBytes(field, scope)?.bool() ?? false;
}
