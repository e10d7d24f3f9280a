/**
 * Version 1 of the contract. Its messages share their names with version 2, so each proto file is a
 * namespace. Only the server and clients of version 1 load this.
 */
export * from "../gen/v1.ts";
