/** Writes and checks the OpenAPI document, from which servers answer `/openapi.json`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, StepError, textOf } from "../step.ts";
import { openApiDocument } from "./document.ts";
import { formatted } from "./format.ts";

const PATH = "packages/contract/gen/openapi.json";

export async function writeOpenApi(): Promise<void> {
  writeFileSync(join(ROOT, PATH), fresh());
}

/** The committed document must match the contract and the descriptions of endpoints. */
export async function openApiIsCurrent(): Promise<void> {
  if (textOf(PATH) === fresh()) return;
  throw new StepError(`${PATH} is stale: run npm run generate, and commit the result`);
}

function fresh(): string {
  return formatted(openApiDocument());
}
