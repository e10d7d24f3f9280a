/**
 * A typed client of Wharf that needs nothing but `fetch`. What needs Node.js is in
 * `@wharf/client/node`.
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
