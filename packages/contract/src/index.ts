/**
 * The contract: generated messages and services, capabilities, built-in roles and UIDs. Imports nothing else of this
 * repository; servers and clients import it.
 */
export * from "./audit-content.ts";
export * from "./builtin-roles.ts";
export * from "./capability-set.ts";
export * from "./client-name.ts";
export * from "./messages.ts";
export * from "./uid.ts";
