/**
 * The contract: messages and services as generated, and what they mean.
 */
export * from "./builtin-roles.ts";
export * from "./capability-set.ts";
export * from "./messages.ts";
export * from "./uid.ts";
