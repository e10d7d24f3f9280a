import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../migrations");

/** The SQL files of this version by name. A build contains their texts (scripts/build-plugins.ts). */
export const SQL_FILES: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]),
);
