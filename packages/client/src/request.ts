/**
 * What callers write, as the messages that are sent.
 */
import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";

/** Which fields an update changes: their names, in the spelling of the .proto or of JSON. */
export type Mask = readonly string[] | MessageInitShape<typeof FieldMaskSchema>;

/** A request as callers write it: every field may be left out, masks may be lists of names. */
export type RequestOf<Input extends DescMessage> = "updateMask" extends keyof MessageShape<Input>
  ? Omit<MessageInitShape<Input>, "updateMask" | "$typeName" | "$unknown"> & { updateMask?: Mask }
  : MessageInitShape<Input>;

type Init = Readonly<Record<string, unknown>>;

/**
 * Makes the message of a request. An update without a mask gets the one that its resource implies:
 * exactly the fields that are written down change, also those that are written down as empty.
 *
 * @example requestMessage(UpdateGroupRequestSchema, { group: { uid, description: "" } })
 * // { group: { uid, description: "" }, updateMask: { paths: ["description"] } }
 */
export function requestMessage<Input extends DescMessage>(
  schema: Input,
  request: RequestOf<Input>,
): MessageShape<Input> {
  const init = request as Init;
  const mask = schema.fields.find((field) => field.message?.typeName === FieldMaskSchema.typeName);
  if (!mask) return create(schema, init as MessageInitShape<Input>);
  const paths = pathsOf(init[mask.localName] as Mask | undefined) ?? implied(schema, init);
  const whole = { ...init, [mask.localName]: paths && { paths: paths.map(protoSpelling) } };
  return create(schema, whole as MessageInitShape<Input>);
}

function pathsOf(mask: Mask | undefined): readonly string[] | undefined {
  return mask === undefined || "length" in mask ? mask : mask.paths;
}

/** `claimMatch.issuer` → `claim_match.issuer`. */
function protoSpelling(path: string): string {
  return path.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A whole message, such as an answer, does not tell what its caller means to change. */
function implied(schema: DescMessage, init: Init): string[] | undefined {
  const field = schema.fields.find((one) => one.fieldKind === "message" && isResource(one));
  const resource = field && (init[field.localName] as Init | undefined);
  if (!field?.message || resource === undefined || isMessage(resource)) return undefined;
  const paths = present(field.message, resource, "");
  return paths.filter((path) => path !== "uid");
}

function isResource(field: DescField): boolean {
  return field.message?.typeName !== FieldMaskSchema.typeName;
}

/** The fields that are there, down to the leaves; lists, maps and well-known types count whole. */
function present(schema: DescMessage, init: Init, prefix: string): string[] {
  return schema.fields.flatMap((field) => {
    const value = given(init, field);
    if (value === undefined) return [];
    const path = prefix + field.name;
    const inside = field.fieldKind === "message" ? field.message : undefined;
    if (!inside || inside.file.name.startsWith("google/protobuf/") || isMessage(value)) {
      return [path];
    }
    const inner = present(inside, value as Init, `${path}.`);
    return inner.length > 0 ? inner : [path];
  });
}

function given(init: Init, field: DescField): unknown {
  if (!field.oneof) return init[field.localName];
  const choice = init[field.oneof.localName] as { case?: string; value?: unknown } | undefined;
  return choice?.case === field.localName ? choice.value : undefined;
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}
