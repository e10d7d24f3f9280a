import type { SecureClientSessionOptions } from "node:http2";
import {
  createRegistry,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type JsonObject,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { ConnectError, type Transport as ConnectTransport } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
} from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { codeOfNumber, type WharfError, wharfError } from "../errors.ts";
import { httpErrorContext, unreachable } from "../rest/error-response.ts";
import type { Transport } from "../transport.ts";

export interface GrpcOptions {
  /** TLS options of the connection, such as trusted certificates. */
  readonly nodeOptions?: SecureClientSessionOptions | undefined;
}

export interface GrpcTransport extends Transport {
  /** Closes the connections. Idle ones do not keep the process running. */
  close(): void;
}

interface Connection {
  readonly sessions: Http2SessionManager;
  readonly transport: ConnectTransport;
}

/**
 * Calls over gRPC. Connects on first use, once per URL.
 *
 * @example createWharf({ baseUrl, token, transport: grpcTransport() })
 */
export function grpcTransport({ nodeOptions }: GrpcOptions = {}): GrpcTransport {
  const connections = new Map<string, Connection>();
  const connect = (baseUrl: string): ConnectTransport => {
    let connection = connections.get(baseUrl);
    if (!connection) {
      const sessions = new Http2SessionManager(new URL(baseUrl).origin, undefined, nodeOptions);
      const transport = createGrpcTransport({ baseUrl, sessionManager: sessions });
      connection = { sessions, transport };
      connections.set(baseUrl, connection);
    }
    return connection.transport;
  };
  return {
    async send({ method, request, baseUrl, headers, signal, timeoutMs }, sent) {
      const url = `${baseUrl}/${method.parent.typeName}/${method.name}`;
      const started = performance.now();
      const report = (status: number) =>
        sent({ method: "POST", url, status, ms: performance.now() - started });
      try {
        const unary = method as DescMethodUnary;
        const transport = connect(baseUrl);
        const limit = Math.ceil(timeoutMs);
        const { message } = await transport.unary(unary, signal, limit, headers, { ...request });
        report(200);
        return message as Message;
      } catch (thrown) {
        const error = errorOf(ConnectError.from(thrown), baseUrl);
        report(error.requestId === undefined ? 0 : error.httpStatus);
        signal.throwIfAborted();
        throw error;
      }
    },
    async *stream({ method, request, baseUrl, headers, signal }, sent) {
      const url = `${baseUrl}/${method.parent.typeName}/${method.name}`;
      const started = performance.now();
      try {
        const streaming = method as DescMethodServerStreaming;
        const { message } = await connect(baseUrl).stream(
          streaming,
          signal,
          undefined,
          headers,
          only({ ...request }),
        );
        sent({ method: "POST", url, status: 200, ms: performance.now() - started });
        yield* message as AsyncIterable<Message>;
      } catch (thrown) {
        signal.throwIfAborted();
        throw errorOf(ConnectError.from(thrown), baseUrl);
      }
    },
    close() {
      for (const { sessions } of connections.values()) sessions.abort();
      connections.clear();
    },
  };
}

async function* only<T>(message: T): AsyncGenerator<T> {
  yield message;
}

const DETAILS = createRegistry(
  ErrorInfoSchema,
  BadRequestSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
);

function errorOf(error: ConnectError, baseUrl: string): WharfError {
  const code = codeOfNumber(error.code) ?? "UNKNOWN";
  const context = httpErrorContext(undefined, error.metadata);
  // Without a response, a stream that we have not canceled was lost with its connection.
  const isLost = code === "UNAVAILABLE" || code === "CANCELLED";
  if (isLost && context.requestId === undefined) return unreachable(baseUrl, error);
  const details = error.findDetails(DETAILS).map(detailJson);
  // Errors of the server are complete; the cause of local errors has more details.
  const cause = context.requestId === undefined ? error : undefined;
  return wharfError(code, error.rawMessage, { ...context, details, cause });
}

/** The detail as in the body of a REST error. */
function detailJson(detail: Message): JsonObject {
  const schema = DETAILS.getMessage(detail.$typeName);
  const fields = schema ? (toJson(schema, detail) as JsonObject) : {};
  return { "@type": `type.googleapis.com/${detail.$typeName}`, ...fields };
}
