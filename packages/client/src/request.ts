/** Converts requests as callers write them to messages. */
import {
  create,
  type DescField,
  type DescMessage,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";

/** The fields that an update changes: proto or JSON names. */
export type Mask = readonly string[] | MessageInitShape<typeof FieldMaskSchema>;

/** A request as callers write it: all fields are optional, masks may be lists of names. */
export type RequestOf<Input extends DescMessage> = "updateMask" extends keyof MessageShape<Input>
  ? Omit<MessageInitShape<Input>, "updateMask" | "$typeName" | "$unknown"> & { updateMask?: Mask }
  : MessageInitShape<Input>;

type Init = Readonly<Record<string, unknown>>;

/**
 * Creates the message of a request. An update without a mask gets one from its resource: exactly its fields change,
 * including empty ones.
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

/** A complete message, such as a response, does not imply a mask. */
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

/** The paths of the set leaves. Lists, maps and well-known types are leaves. */
function present(schema: DescMessage, init: Init, prefix: string): string[] {
  return schema.fields.flatMap((field) => {
    const value = initValue(init, field);
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

function initValue(init: Init, field: DescField): unknown {
  if (!field.oneof) return init[field.localName];
  const choice = init[field.oneof.localName] as { case?: string; value?: unknown } | undefined;
  return choice?.case === field.localName ? choice.value : undefined;
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "$typeName" in value;
}
