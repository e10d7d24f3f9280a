/** Resources as the command prints them, and many of them made past the command. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createWharf, type Wharf } from "@wharf/client";
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";
import { type Ended, wharf } from "./command.ts";
import type { Site } from "./site.ts";

/** The output of a command with `-o json`. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was printed.
export async function json(site: Site, ...args: string[]): Promise<any> {
  return JSON.parse(await site.ok(...args, "-o", "json"));
}

/** The output of a command with `-o id`, line by line. */
export async function ids(site: Site, ...args: string[]): Promise<string[]> {
  return (await site.ok(...args, "-q", "-o", "id")).split("\n").filter(Boolean);
}

/** The server, called without the command, for what tests need much of. */
export async function clientOf(site: Site): Promise<Wharf> {
  return createWharf({ baseUrl: site.server.url, token: await site.server.token() });
}

/** Runs a command as another identity. */
export async function runAs(site: Site, identity: string, ...args: string[]): Promise<Ended> {
  const token = await site.server.token(identity);
  return wharf(args, { env: { ...site.env, WHARF_TOKEN: token } });
}

/** Runs a command that must fail: with this exit code, and saying this. */
export async function fails(
  site: Site,
  code: number,
  message: RegExp,
  ...args: string[]
): Promise<Ended> {
  const ended = await site.run(...args);
  assert.match(ended.stderr, message);
  assert.equal(ended.code, code, ended.stderr);
  return ended;
}

const FILES = scratchFolder("wharf-cli-files-");
let files = 0;

/** A file with this text. */
export function fileWith(text: string): string {
  const path = join(FILES, `file-${files++}`);
  writeFileSync(path, text);
  return path;
}

/** Waits for what only time brings about. */
export async function eventually(done: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if (await done()) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  assert.fail("it did not come about");
}
