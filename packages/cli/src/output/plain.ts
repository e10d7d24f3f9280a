/** Messages of the client as the API's JSON has them, anywhere within a value. */
export type MessageWriter = (message: { readonly $typeName: string }) => unknown;

export function plainly(value: unknown, write: MessageWriter): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((each) => plainly(each, write));
  if (isMessage(value)) return write(value);
  const entries = Object.entries(value).map(([name, each]) => [name, plainly(each, write)]);
  return Object.fromEntries(entries);
}

let writer: Promise<MessageWriter> | undefined;

/** Loads what is needed to write messages; who prints tables never waits for it. */
export function messageWriter(): Promise<MessageWriter> {
  writer ??= makeWriter();
  return writer;
}

async function makeWriter(): Promise<MessageWriter> {
  const { createRegistry, toJson } = await import("@bufbuild/protobuf");
  const { SERVICES } = await import("@wharf/contract/messages");
  const registry = createRegistry(...SERVICES.map(({ file }) => file));
  return (message) => {
    const schema = registry.getMessage(message.$typeName);
    if (schema === undefined) throw new Error(`${message.$typeName} is not in the contract`);
    return toJson(schema, message as never, { alwaysEmitImplicit: true, registry });
  };
}

function isMessage(value: object): value is { $typeName: string } {
  return "$typeName" in value;
}
