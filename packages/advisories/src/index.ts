export { advisoryIdOf } from "./advisory-id.ts";
export * from "./publish/index.ts";
