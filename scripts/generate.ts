/**
 * `npm run generate`: formats the contract and regenerates packages/contract/gen from it, and
 * docs/cli.md and the man pages from the definitions of the commands, and the tables of
 * docs/migrate-v1-to-v2.md from the contract.
 */
import { step, tool } from "./step.ts";

const done =
  (await step("format protos", () => tool("buf", "format", "-w", "proto"))) &&
  (await step("generate code", () => tool("buf", "generate"))) &&
  // Imported late: commands are made of the code that was generated just now.
  (await step("write docs/cli.md and man pages", async () => {
    const { writeDocuments } = await import("./cli-docs/documents.ts");
    await writeDocuments();
  })) &&
  (await step("write the tables of docs/migrate-v1-to-v2.md", async () => {
    const { writeGuide } = await import("./migration-docs/guide.ts");
    await writeGuide();
  }));

process.exitCode = done ? 0 : 1;
