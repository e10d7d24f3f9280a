/**
 * The part of the contract that runs anywhere, browsers included: generated messages and services, and the
 * values of their options.
 */
export * from "../gen/messages.ts";
export * from "./capabilities.ts";
export * from "./codes.ts";
export * from "./options.ts";
export * from "./services.ts";
