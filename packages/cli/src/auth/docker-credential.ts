import { text } from "node:stream/consumers";
import type { Run } from "../command/types.ts";
import { problemOf } from "../problem.ts";
import { readConfigOf, readSettings } from "../settings.ts";
import { version } from "../version.ts";
import type { dockerCredentialDefinition } from "./commands.ts";
import { VERBS } from "./docker/credentials.ts";

/**
 * docker's credential helper protocol: the verb is the argument, the rest comes on standard input.
 * What went wrong is told on stdout, where docker looks for it, and the exit code is 1.
 */
export const run: Run<typeof dockerCredentialDefinition> = async (_context, { words }) => {
  try {
    const [name = ""] = words;
    if (name === "version") return print(`docker-credential-wharf ${version()}`);
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (verb === undefined || words.length !== 1) {
      throw new Error(`usage: docker-credential-wharf <${Object.keys(VERBS).join("|")}|version>`);
    }
    const environment = process.env;
    const given = new Map<string, string[]>();
    const config = await readConfigOf(given, environment);
    const settings = readSettings({ given, environment, config });
    const input = name === "list" ? "" : await text(process.stdin);
    const answer = await verb(input, settings, environment);
    if (answer !== "") print(answer);
  } catch (thrown) {
    const { message, hint } = problemOf(thrown);
    print(hint === undefined ? message : `${message}: ${hint}`);
    process.exitCode = 1;
  }
};

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
