/** Summaries and descriptions, from the comments of the contract. */
import type { DescEnum, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { COMMENTS } from "./comments.ts";
import { standardField, standardMethod, standardType } from "./standard-texts.ts";

/** Fields of version 1 that have another name in version 2. */
const RENAMED: Readonly<Record<string, string>> = {
  id: "uid",
  created_at: "create_time",
  updated_at: "update_time",
  parent_id: "parent",
  arch: "architecture",
};

/** The description of a message or an enum: its own, that of version 2, or what types of its name mean everywhere. */
export function textOfType({ typeName, name }: DescMessage | DescEnum): string {
  return COMMENTS[typeName] ?? COMMENTS[inVersion2(typeName)] ?? standardType(name) ?? "";
}

/** The description of an enum with those of its values. */
export function textOfEnum(desc: DescEnum): string {
  const values = desc.values.flatMap(({ name }) => {
    const text =
      COMMENTS[`${desc.typeName}.${name}`] ?? COMMENTS[`${inVersion2(desc.typeName)}.${name}`];
    return text === undefined ? [] : [`- \`${name}\`: ${text}`];
  });
  return [textOfType(desc), values.join("\n")].filter(Boolean).join("\n\n");
}

/** The description of a field: its own, that of version 2, or what fields of its name and type mean everywhere. */
export function textOfField(field: DescField): string {
  const { parent, name } = field;
  const own = COMMENTS[`${parent.typeName}.${name}`];
  if (own !== undefined) return own;
  const later = inVersion2(parent.typeName);
  const renamed = RENAMED[name] ?? name.replace(/_id(s?)$/, "_uid$1");
  return (
    COMMENTS[`${later}.${name}`] ??
    COMMENTS[`${later}.${renamed}`] ??
    COMMENTS[`${later}.${name}_time`] ??
    standardField(field, subjectOf(parent)) ??
    textOfValue(field)
  );
}

/** The meaning of the type of a field. */
function textOfValue({ message, enum: values }: DescField): string {
  const type = message ?? values;
  return type === undefined ? "" : textOfType(type);
}

/** The subject of a request or a message, in words: `GetRoleBindingRequest` is about a role binding. */
function subjectOf({ name }: DescMessage): string {
  const [, noun = name] =
    /^(?:Get|List|Create|Update|Delete|Batch\w+?)?(\w+?)(?:Request|Response|Filter)?$/.exec(name) ??
    [];
  return wordsOf(noun);
}

export function textOfService({ typeName }: DescService): string {
  return COMMENTS[typeName] ?? COMMENTS[`${inVersion2(typeName)}Service`] ?? "";
}

/** The summary of a method: its name in words, or the beginning of its comment if the name is only a verb. */
export function summaryOf(method: DescMethod): string {
  const { name, parent } = method;
  const noun = wordsOf(parent.name.replace(/Service$/, ""));
  const verb = name.toLowerCase();
  const isBare = /^[A-Z][a-z]+$/.test(name);
  if (!isBare) return capitalized(wordsOf(name));
  if (noun.endsWith("s") && STANDARD_VERBS.has(verb))
    return capitalized(`${verb} ${verb === "list" ? noun : singular(noun)}`);
  const [beginning = ""] = textOfMethod(method).split(/[,;:.](?:\s|$)/, 1);
  return beginning || name;
}

const STANDARD_VERBS = new Set(["get", "list", "create", "update", "delete"]);

/** The description of a method: its comment, or what methods of this name do. */
export function textOfMethod(method: DescMethod): string {
  const { parent, name } = method;
  const own = COMMENTS[`${parent.typeName}.${name}`];
  if (own !== undefined) return own;
  // Unlike those of version 2, updates of version 1 replace the resource.
  const isReplacement = isVersion1(parent.typeName) && name.startsWith("Update");
  const later = isReplacement ? undefined : version2Method(method);
  return later ?? standardMethod(summaryOf(method), isReplacement);
}

/** The comment of the method of version 2 that does the same. */
function version2Method({ parent, name }: DescMethod): string | undefined {
  if (!isVersion1(parent.typeName)) return undefined;
  const service = `${inVersion2(parent.typeName)}Service`;
  return (
    COMMENTS[`${service}.${name}`] ??
    COMMENTS[`${service}.${name}${parent.name}`] ??
    COMMENTS[`${service}.${name}${singular(parent.name)}`]
  );
}

/** Whether something belongs to version 1 of the API. */
export function isVersion1(typeName: string): boolean {
  return typeName.includes(".v1.");
}

function inVersion2(typeName: string): string {
  return typeName.replace(".v1.", ".v2beta1.");
}

const ACRONYMS: Readonly<Record<string, string>> = {
  scim: "SCIM",
  eol: "EOL",
  "git hub": "GitHub",
};

/** The words of a name in camel case: `role bindings` for `RoleBindings`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .replace(/\b[A-Z][a-z0-9]*\b/g, (word) => word.toLowerCase())
    .replace(/\b(scim|eol|git hub)\b/g, (word) => ACRONYMS[word] ?? word);
}

export function capitalized(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function singular(words: string): string {
  return words.replace(/ies$/, "y").replace(/s$/, "");
}
