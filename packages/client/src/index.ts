/**
 * A typed client of Wharf that needs only `fetch`; parts that need Node.js are in `@wharf/client/node`. It may import
 * `@wharf/contract/messages` and no server code.
 */
export * from "@wharf/contract/messages";
export type { CallOptions } from "./call.ts";
export * from "./errors.ts";
export type { Mask, RequestOf } from "./request.ts";
export type { ItemOf, ServiceClients, ServiceName } from "./services.ts";
export { tokens } from "./tokens/index.ts";
export type { Token, TokenRequest, TokenSource } from "./tokens/source.ts";
export type { Attempt, Sent, Transport } from "./transport.ts";
export { createWharf, type Wharf, type WharfOptions } from "./wharf.ts";
