/**
 * What the contract says in options, read into plain values. Reading an option is slow, so what was
 * read once is kept.
 */
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
import type { Capability } from "./capabilities.ts";

export type { Rules };

/** Who may call a method. */
export type AccessRule =
  /** No token is needed. */
  | { readonly kind: "anyone" }
  /** Any valid token will do. */
  | { readonly kind: "authenticated" }
  /** Only the operator's token will do. */
  | { readonly kind: "operator" }
  /** Every capability is needed at the uid in the scope field. */
  | { readonly kind: "scoped"; readonly capabilities: readonly Capability[] }
  /** The method acts only where its caller has every capability. */
  | { readonly kind: "unscoped"; readonly capabilities: readonly Capability[] };

/** The event that a successful call leaves behind. */
export interface EventRule {
  /** Without the installation-wide prefix. */
  readonly type: string;
  /** Which group the event belongs to, seen from the resource. */
  readonly group: "parent" | "self" | "root";
}

/** One way to call a method over HTTP. */
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

function kept<Of extends object, What>(read: (of: Of) => What): (of: Of) => What {
  const known = new WeakMap<Of, { readonly what: What }>();
  return (of) => {
    let entry = known.get(of);
    if (entry === undefined) {
      entry = { what: read(of) };
      known.set(of, entry);
    }
    return entry.what;
  };
}

/**
 * The bytes of an option, or undefined where it is not set. The library's getOption makes a type of its
 * own for each option that it reads: that took a tenth of the server's start.
 */
function optionBytes(
  { proto }: DescMethod | DescField,
  { number }: DescExtension,
): BinaryReader | undefined {
  const set = proto.options?.$unknown?.find(({ no }) => no === number);
  return set && new BinaryReader(set.data);
}

/** An option that is a message. */
function messageOption<Value extends Message>(
  of: DescMethod | DescField,
  option: GenExtension<MethodOptions, Value> | GenExtension<FieldOptions, Value>,
): Value | undefined {
  const bytes = optionBytes(of, option)?.bytes();
  return bytes && (fromBinary(option.message as DescMessage, bytes) as Value);
}

/**
 * The access rule of a method, or undefined where the contract forgot it: nobody may call that.
 *
 * @example accessOf(GroupsService.method.getGroup) // { kind: "scoped", capabilities: [103] }
 */
export function accessOf(method: DescMethod): AccessRule | undefined {
  const rule = messageOption(method, access)?.rule;
  if (rule?.case === undefined) return undefined;
  if (rule.case === "scoped" || rule.case === "unscoped") {
    return { kind: rule.case, capabilities: rule.value.capabilities };
  }
  return { kind: rule.case };
}

/**
 * The event of a method, or undefined if calling it leaves none behind.
 *
 * @example eventOf(GroupsService.method.createGroup) // { type: "iam.group.created.v1", group: "self" }
 */
export const eventOf = kept((method: DescMethod): EventRule | undefined => {
  const set = messageOption(method, event);
  if (set === undefined) return undefined;
  const { type, group } = set;
  if (group === Event_Group.SELF) return { type, group: "self" };
  return { type, group: group === Event_Group.ROOT ? "root" : "parent" };
});

/**
 * The HTTP bindings of a method, the main one first.
 *
 * @example httpRulesOf(GroupsService.method.listGroups) // [{ verb: "GET", path: "/iam/v2beta1/groups", body: "" }]
 */
export function httpRulesOf(method: DescMethod): HttpBinding[] {
  const rule = messageOption(method, http);
  if (rule === undefined) return [];
  return [rule, ...rule.additionalBindings].map((each) => bindingOf(each, method));
}

function bindingOf({ pattern, body }: HttpRule, method: DescMethod): HttpBinding {
  if (pattern.case === undefined || pattern.case === "custom") {
    throw new TypeError(`${method} has an HTTP rule without a verb of its own`);
  }
  const verb = pattern.case.toUpperCase() as HttpBinding["verb"];
  return { verb, path: pattern.value, body };
}

/** @example fieldBehavior(GroupSchema.field.name).required // true */
export const fieldBehavior = kept((field: DescField): Behavior => {
  const all = hasOption(field, field_behavior) ? getOption(field, field_behavior) : [];
  return {
    required: all.includes(FieldBehavior.REQUIRED),
    outputOnly: all.includes(FieldBehavior.OUTPUT_ONLY),
    inputOnly: all.includes(FieldBehavior.INPUT_ONLY),
    immutable: all.includes(FieldBehavior.IMMUTABLE),
  };
});

/** @example rulesOf(GroupSchema.field.name)?.pattern // "^[a-z0-9 ._-]{1,}$" */
export const rulesOf = kept((field: DescField): Rules | undefined => messageOption(field, rules));

/**
 * Whether access is checked at the uid in this field or, for a message, at that message's own
 * scope field.
 *
 * @example isScope(GetGroupRequestSchema.field.uid) // true
 */
export function isScope(field: DescField): boolean {
  return optionBytes(field, scope)?.bool() ?? false;
}
