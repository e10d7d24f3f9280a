/**
 * `npm run generate`: formats the contract and writes packages/contract/gen anew from it; writes
 * docs/cli.md and the man pages anew from the definitions of the commands.
 */
import { step, tool } from "./step.ts";

const done =
  (await step("format protos", () => tool("buf", "format", "-w", "proto"))) &&
  (await step("generate code", () => tool("buf", "generate"))) &&
  // Imported late: commands are made of the code that was generated just now.
  (await step("write docs/cli.md and man pages", async () => {
    const { writeDocuments } = await import("./cli-docs/documents.ts");
    await writeDocuments();
  }));

process.exitCode = done ? 0 : 1;
