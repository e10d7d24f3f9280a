import { type DescField, type DescMessage, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { fieldBehavior, isScope, rulesOf, SERVICES } from "@wharf/contract";

// biome-ignore lint/suspicious/noExplicitAny: requests and answers have every shape.
export type Body = Readonly<Record<string, any>>;

/** A field of a request that holds a text of its caller's choice. */
export interface TextField {
  /** Its path: `identity.claimMatch.claims{}`; entries of lists are `[]`, keys and values of maps `{key}` and `{}`. */
  readonly label: string;
  readonly path: readonly DescField[];
  /** Whether the text is a key of a map. */
  readonly isKey: boolean;
}

const MARKS = { list: "[]", map: "{}", message: "", scalar: "", enum: "" } as const;

/** The methods that write texts: all that create or update something. Those of version 1 write the same resources. */
export const WRITES: readonly DescMethod[] = SERVICES.flatMap(({ methods }) => methods).filter(
  ({ name, input }) => /^(Batch)?(Create|Update)/.test(name) && textFieldsOf(input).length > 0,
);

/** The name of a method with that of its service: `GroupsService/CreateGroup`. */
export const nameOf = ({ parent, name }: DescMethod) => `${parent.name}/${name}`;

/** The texts of a message: all strings but UIDs and what only the server writes. */
export function textFieldsOf(
  message: DescMessage,
  path: readonly DescField[] = [],
  above: readonly DescMessage[] = [message],
): TextField[] {
  return message.fields.flatMap((field) => {
    if (fieldBehavior(field).outputOnly || rulesOf(field)?.uid) return [];
    const at = [...path, field];
    const { message: inner, scalar } = field;
    const keys = isStringMap(field) ? [textField(at, true)] : [];
    if (inner === undefined) {
      const isText = scalar === ScalarType.STRING && !isScope(field);
      return isText ? [...keys, textField(at, false)] : keys;
    }
    const isOurs = !inner.typeName.startsWith("google.protobuf.");
    // A message within itself has the same fields again.
    if (!isOurs || above.includes(inner)) return keys;
    return [...keys, ...textFieldsOf(inner, at, [...above, inner])];
  });
}

function isStringMap(field: DescField): boolean {
  return field.fieldKind === "map" && field.mapKey === ScalarType.STRING;
}

function textField(path: readonly DescField[], isKey: boolean): TextField {
  const label = labelOf(path);
  return { label: isKey ? label.replace(/\}$/, "key}") : label, path, isKey };
}

function labelOf(path: readonly DescField[]): string {
  return path.map(({ jsonName, fieldKind }) => jsonName + MARKS[fieldKind]).join(".");
}

/**
 * A request with a text in a field. Of each oneof, only the field on the path is left. `around` has what else a message
 * needs to be valid, by its label.
 */
export function withText(
  body: Body,
  { path, isKey }: TextField,
  text: string,
  around: Readonly<Record<string, Body>> = {},
  done: readonly DescField[] = [],
): Body {
  const [field, ...rest] = path as [DescField, ...DescField[]];
  const at = [...done, field];
  const inner = (there: Body | undefined) =>
    withText(
      there ?? around[labelOf(at)] ?? {},
      { label: "", path: rest, isKey },
      text,
      around,
      at,
    );
  const others = field.oneof?.fields.filter((one) => one !== field) ?? [];
  const left = Object.fromEntries(
    Object.entries(body).filter(([name]) => others.every(({ jsonName }) => jsonName !== name)),
  );
  const there = left[field.jsonName];
  return { ...left, [field.jsonName]: valueAt(field, there, { text, isKey, inner, rest }) };
}

function valueAt(
  field: DescField,
  // biome-ignore lint/suspicious/noExplicitAny: values have every shape.
  there: any,
  placed: {
    readonly text: string;
    readonly isKey: boolean;
    readonly rest: readonly DescField[];
    readonly inner: (there: Body | undefined) => Body;
  },
): unknown {
  const { text, isKey, rest, inner } = placed;
  const value = (old: Body | undefined) => (rest.length > 0 ? inner(old) : text);
  if (field.fieldKind === "list") return [value(there?.[0])];
  if (field.fieldKind !== "map") return value(there);
  if (isKey && rest.length === 0) {
    return { ...there, [text]: field.scalar === ScalarType.STRING ? "value" : 1 };
  }
  const key = field.mapKey === ScalarType.STRING ? "key" : "1";
  return { ...there, [key]: value(there?.[key]) };
}

/** Which field of each oneof a text takes, by the label of the message. */
export function choicesOf({ path }: TextField): ReadonlyMap<string, string> {
  const choices = new Map<string, string>();
  for (const [at, { oneof, jsonName }] of path.entries()) {
    if (oneof !== undefined) choices.set(`${labelOf(path.slice(0, at))} ${oneof.name}`, jsonName);
  }
  return choices;
}

/** Whether a violation is about a field with a text: names it, or its list or map, which the text may be a key of. */
export function isAbout(violation: string, { label }: TextField, text: string): boolean {
  const found = violation.replace(`[${text}]`, "").replace(/\[[^\]]*\]/g, "");
  const field = label.replace(/\[\]|\{(key)?\}/g, "");
  // Over REST, names begin below the resource.
  return [field, field.slice(field.indexOf(".") + 1)].some(
    (one) => found === one || found.startsWith(`${one}.`),
  );
}
