export { advisoryIdOf } from "./advisory-id.ts";
