/** Descriptions of what many messages and methods share: fields of every resource, and the parameters of lists. */

import { type DescField, ScalarType } from "@bufbuild/protobuf";

type TextOf = (subject: string) => string;

const same =
  (text: string): TextOf =>
  () =>
    text;

/** By the name of the field; the argument is what the message is about. */
const STANDARD_FIELDS: Readonly<Record<string, TextOf>> = {
  uid: (subject) =>
    `UID of the ${subject}: 40 hex characters for a root, then a slash and 16 for each level below.`,
  id: (subject) => `UID of the ${subject}. Version 2 calls it \`uid\`.`,
  name: (subject) => `Name of the ${subject}.`,
  description: (subject) => `Description of the ${subject}, for people.`,
  create_time: same("When it was created."),
  update_time: same("When it was last changed."),
  created_at: same("When it was created."),
  updated_at: same("When it was last changed."),
  parent: same("UID of the group to create it in."),
  parent_id: same("UID of the group to create it in."),
  uidp: same("Restricts the list to a part of the group tree."),
  page_size: same("Results per page: 50 by default, at most 200."),
  page_token: same(
    "`next_page_token` of the previous page. After three days, the list restarts from the beginning.",
  ),
  order_by: same(
    "Field to sort by, followed by ` desc` for descending order; several are separated by commas.",
  ),
  skip: same("Results to skip before the first one of the page."),
  next_page_token: same("Cursor of the next page; empty on the last one."),
  total_count: same("Results on all pages together."),
  skipped: same("Results that were skipped, as requested."),
  items: same("All results."),
  update_mask: same(
    "Fields to change, comma-separated. Without it, the fields that the body contains are changed.",
  ),
  etag: same(
    "Version of the resource. An update or delete with another version than the current one fails with ABORTED.",
  ),
};

/** The meaning of fields of this name, or of this kind of name, everywhere. */
export function standardField(field: DescField, subject: string): string | undefined {
  const { name, parent } = field;
  const known = STANDARD_FIELDS[name]?.(subject);
  if (known !== undefined && !isOtherId(field)) return known;
  if (field.fieldKind === "list" && field.message && /^List\w+Response$/.test(parent.name))
    return `The ${name.replaceAll("_", " ")} of this page.`;
  const [, of] = /^(\w+)_u?id$/.exec(name) ?? [];
  return of === undefined ? undefined : `UID of the ${of.replaceAll("_", " ")}.`;
}

/** The meaning of messages of this name everywhere. */
export function standardType(name: string): string | undefined {
  const [, method, kind] = /^(\w+?)(Request|Response|List)$/.exec(name) ?? [];
  if (method === undefined || kind === undefined) return undefined;
  return kind === "List" ? `A list of type \`${method}\`.` : `${kind} of the method \`${method}\`.`;
}

/** A number is no UID, and only version 1 calls UIDs `id`. */
function isOtherId({ name, scalar, parent }: DescField): boolean {
  if (name === "id") return !parent.typeName.includes(".v1.");
  return name === "uid" && scalar !== ScalarType.STRING;
}

/** The description of a method that has one of the standard names: the summary as a sentence. */
export function standardMethod(summary: string, isReplacement: boolean): string {
  const [verb = "", ...rest] = summary.split(" ");
  const noun = rest.join(" ");
  const one = `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;
  switch (verb) {
    case "Get":
      return `Returns one ${noun}, by its UID.`;
    case "List":
      return `Lists the ${noun} that the caller can see.`;
    case "Create":
      return `Creates ${one}.`;
    case "Update":
      return isReplacement
        ? `Replaces ${one}: fields that the request omits are cleared.`
        : `Changes the fields of ${one} that the mask names or, without one, those in the body.`;
    case "Delete":
      return `Deletes ${one}.`;
    default:
      return "";
  }
}
