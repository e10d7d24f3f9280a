import type { DescMessage } from "@bufbuild/protobuf";
import type { Transport } from "@wharf/client";

/** Schemas by type name: of responses, and of all messages in them. */
const SCHEMAS = new Map<string, DescMessage>();

/**
 * A transport that keeps the schemas of its responses for output, because a message has only the name of its type.
 * Loading all schemas of the contract takes longer than most commands.
 */
export function keepingSchemas({ send, stream }: Transport): Transport {
  return {
    send(attempt, sent) {
      addSchema(attempt.method.output);
      return send(attempt, sent);
    },
    ...(stream && {
      stream(attempt, sent) {
        addSchema(attempt.method.output);
        return stream(attempt, sent);
      },
    }),
  };
}

export function addSchema(schema: DescMessage): void {
  if (SCHEMAS.has(schema.typeName)) return;
  SCHEMAS.set(schema.typeName, schema);
  for (const { message } of schema.fields) if (message !== undefined) addSchema(message);
}

export function schemaOf(typeName: string): DescMessage {
  const schema = SCHEMAS.get(typeName);
  if (schema === undefined) throw new Error(`${typeName} is not part of a response`);
  return schema;
}
