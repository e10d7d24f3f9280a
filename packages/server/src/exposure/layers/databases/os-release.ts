import type { Release } from "../inventory.ts";
import { linesOf } from "./lines.ts";

const LINE = /^([A-Z_]+)=(?:"(.*)"|'(.*)'|(.*))$/;

/** Parses os-release, whose values are quoted as in a shell; undefined without an ID. */
export function parseOsRelease(bytes: Buffer): Release | undefined {
  const values = new Map<string, string>();
  for (const line of linesOf(bytes)) {
    const [, key, double, single, bare] = LINE.exec(line.trim()) ?? [];
    if (key === undefined) continue;
    const value = (double?.replace(/\\(["$`\\])/g, "$1") ?? single ?? bare ?? "").slice(0, 256);
    values.set(key, value);
  }
  const id = values.get("ID") ?? "";
  return id === "" ? undefined : { id, versionId: values.get("VERSION_ID") ?? "" };
}
