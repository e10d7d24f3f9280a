import {
  type DescField,
  type DescMessage,
  type DescService,
  fromBinary,
  type Message,
} from "@bufbuild/protobuf";
import {
  type Capability,
  CapabilitySchema,
  capabilityFromName,
  isOwnCapability,
  serviceNames,
} from "@wharf/contract";
import type { Reply } from "./call.ts";
import { messageReply } from "./reply.ts";

/**
 * Capabilities that the public contract does not have are left out of responses under its service names: clients that
 * were built from it reject roles with capabilities that they do not know, or warn of them on every run.
 */

/** The names of a service that existing clients use. */
export function publicNames(service: DescService): readonly string[] {
  return serviceNames(service).filter((name) => !name.startsWith("wharf."));
}

/** The response without capabilities of our own. It must have been prepared as binary. */
export function withoutOwnCapabilities(schema: DescMessage, reply: Reply): Reply {
  if (reply.stream !== undefined) return reply;
  const message = fromBinary(schema, reply.binary());
  strip(schema, message);
  return messageReply(schema, message);
}

/** Whether messages of a type have lists of capabilities, at any depth. */
export function hasCapabilities(schema: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  return schema.fields.some((field) => {
    const { message } = field;
    return filterOf(field) !== undefined || (message && hasCapabilities(message, seen));
  });
}

/** Selects what the public contract has of a list of capabilities; undefined for other fields. */
function filterOf(field: DescField): ((value: never) => boolean) | undefined {
  if (field.fieldKind !== "list") return undefined;
  if (field.enum?.typeName === CapabilitySchema.typeName)
    return (capability: Capability) => !isOwnCapability(capability);
  // In version 1, and in what the caller holds, capabilities are dotted names.
  if (field.scalar === undefined || field.name !== "capabilities") return undefined;
  return (name: string) => !isOwnCapability(capabilityFromName(name) ?? 0);
}

function strip(schema: DescMessage, message: Message): void {
  const values = message as unknown as Record<string, unknown>;
  for (const field of schema.fields) {
    const value = values[field.localName];
    const isPublic = filterOf(field);
    if (isPublic !== undefined) values[field.localName] = (value as never[]).filter(isPublic);
    else if (field.message !== undefined && field.oneof === undefined && value !== undefined) {
      for (const one of field.fieldKind === "list" ? (value as Message[]) : [value as Message]) {
        strip(field.message, one);
      }
    }
  }
}
