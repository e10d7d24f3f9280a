/** The client with gRPC, and tokens from files and commands. Needs Node.js. */
import { command } from "./node/command.ts";
import { ambient, file, kubernetes } from "./node/files.ts";
import { session } from "./node/session.ts";
import { tokens as portable } from "./tokens/index.ts";

export * from "./index.ts";
export { type GrpcOptions, type GrpcTransport, grpcTransport } from "./node/grpc.ts";
export { httpTransport } from "./node/http.ts";
export { locked } from "./node/lock.ts";

/** All token sources. */
export const tokens = { ...portable, file, command, kubernetes, ambient, session } as const;
