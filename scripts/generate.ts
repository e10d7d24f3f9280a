/**
 * `npm run generate`: formats the proto files and writes everything that follows from them and from the
 * definitions of resources and commands. All of it is committed; `npm run check` fails if it is stale.
 */
import { writeIndexes } from "./indexes/indexes.ts";
import { step, tool } from "./step.ts";

const done =
  (await step("format protos", () => tool("buf", "format", "-w", "proto"))) &&
  (await step("generate code", () => tool("buf", "generate"))) &&
  (await step("write lists of messages, services and resources", writeIndexes)) &&
  (await step("write steps of the schema", async () => {
    const { writeSteps } = await import("./schema/steps.ts");
    await writeSteps();
  })) &&
  // Imported dynamically: the commands depend on the code that was just generated.
  (await step("write docs/cli.md and man pages", async () => {
    const { writeDocuments } = await import("./cli-docs/documents.ts");
    await writeDocuments();
  })) &&
  (await step("write the OpenAPI document", async () => {
    const { writeOpenApi } = await import("./openapi/file.ts");
    await writeOpenApi();
  })) &&
  (await step("write the tables of docs/migrate-v1-to-v2.md", async () => {
    const { writeGuide } = await import("./migration-docs/guide.ts");
    await writeGuide();
  }));

process.exitCode = done ? 0 : 1;
