/**
 * `npm run generate`: formats the contract and writes packages/contract/gen anew from it.
 */
import { step, tool } from "./step.ts";

const done =
  (await step("format protos", () => tool("buf", "format", "-w", "proto"))) &&
  (await step("generate code", () => tool("buf", "generate")));

process.exitCode = done ? 0 : 1;
