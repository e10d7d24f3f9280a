/** Writes and checks the OpenAPI document, from which servers answer `/openapi.json`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, StepError, textOf } from "../step.ts";
import { openApiDocument } from "./document.ts";

const PATH = "packages/contract/gen/openapi.json";
const LINE_WIDTH = 120;

export async function writeOpenApi(): Promise<void> {
  writeFileSync(join(ROOT, PATH), fresh());
}

/** The committed document must match the contract and the descriptions of endpoints. */
export async function openApiIsCurrent(): Promise<void> {
  if (textOf(PATH) === fresh()) return;
  throw new StepError(`${PATH} is stale: run npm run generate, and commit the result`);
}

function fresh(): string {
  return `${lines(JSON.parse(JSON.stringify(openApiDocument())), "")}\n`;
}

/** JSON in which objects and arrays that fit have one line, so that the diff of a change is short. */
function lines(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (typeof value !== "object" || value === null || flat.length + indent.length < LINE_WIDTH)
    return flat;
  const deeper = `${indent}  `;
  const isArray = Array.isArray(value);
  const members = Object.entries(value).map(
    ([key, one]) => deeper + (isArray ? "" : `${JSON.stringify(key)}: `) + lines(one, deeper),
  );
  const [open, close] = isArray ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}
