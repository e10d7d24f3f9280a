import { existsSync, rmSync } from "node:fs";
import { Logins } from "../auth/cache/logins.ts";
import { displayName } from "../auth/claims.ts";
import type { Run } from "../command/types.ts";
import { Config, writeConfig } from "../config/file.ts";
import { invalidReason } from "../config/keys.ts";
import type { Context } from "../context.ts";
import { CommandError, EXIT, usageError } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import { type Environment, readSettings, type Settings } from "../settings.ts";
import { readContext, unknownContext } from "./choose.ts";
import type {
  addDefinition,
  listDefinition,
  removeDefinition,
  showDefinition,
  useDefinition,
} from "./commands.ts";
import {
  contextNames,
  contextPath,
  DEFAULT_CONTEXT,
  lockedContexts,
  readContextName,
  storeContext,
  storedContext,
} from "./files.ts";

interface Row {
  readonly name: string;
  /** Whether commands use it. */
  readonly current: boolean;
  readonly api: string;
  readonly issuer: string;
  readonly registry: string;
  /** The signed-in user; empty for none. */
  readonly login: string;
  readonly file: string;
  /** Why its settings cannot be used. */
  readonly problem?: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { header: "Used", value: ({ current }) => (current ? "*" : "") },
  { header: "Name", value: ({ name }) => name },
  { header: "Server", value: ({ api, problem }) => problem ?? api },
  { header: "Signed in as", value: ({ login }) => login },
  { header: "Issuer", value: ({ issuer }) => issuer, wide: true },
  { header: "Registry", value: ({ registry }) => registry, wide: true },
  { header: "File", value: ({ file }) => file, wide: true },
];

const OPTIONS = { id: ({ name }: Row) => name, what: "contexts" };

export const list: Run<typeof listDefinition> = async (context, arrangement) => {
  const { environment, out } = context;
  const rows = await Promise.all(contextNames(environment).map((name) => rowOf(context, name)));
  await out.list(rows, COLUMNS, { ...OPTIONS, arrangement });
};

export const show: Run<typeof showDefinition> = async (context, args) => {
  const { environment, settings } = context;
  const name = args.name === undefined ? settings.context : knownName(environment, args.name);
  const { config } = settings;
  if (name === config.context && config.problem !== undefined) throw config.problem;
  await context.out.one(await rowOf(context, name), COLUMNS, OPTIONS);
};

export const use: Run<typeof useDefinition> = async ({ environment, err }, args) => {
  const name = readContextName("NAME", args.name);
  await lockedContexts(environment, async () => {
    await storeContext(environment, knownName(environment, name));
  });
  err.note(`commands use the context ${name}`);
  for (const variable of ["WHARF_CONTEXT", "WHARF_CONFIG_FILE", "WHARF_API"]) {
    if (environment[variable]) err.warn(`${variable} is set and takes precedence`);
  }
};

export const add: Run<typeof addDefinition> = async ({ environment, err }, args) => {
  const name = readContextName("NAME", args.name);
  const reason = invalidReason("platform.api", args.url);
  if (reason !== undefined) throw usageError(`URL ${reason}, not "${args.url}"`);
  await lockedContexts(environment, async () => {
    if (contextNames(environment).includes(name)) {
      throw new CommandError({
        message: `the context ${name} exists already`,
        exitCode: EXIT.conflict,
        code: "ALREADY_EXISTS",
        hint: `change it: \`wharf config set platform.api ${args.url} --context ${name}\``,
      });
    }
    const empty = new Config(contextPath(environment, name), new Map(), { context: name });
    await writeConfig(empty.with("platform.api", args.url.replace(/\/+$/, "")));
    if (args.use) await storeContext(environment, name);
  });
  err.note(`added the context ${name}${args.use ? ", and selected it" : ""}`);
  const flag = args.use ? "" : ` --context ${name}`;
  err.note(`sign in with \`wharf auth login${flag}\``);
};

export const remove: Run<typeof removeDefinition> = async (context, args) => {
  const { environment, err } = context;
  const name = knownName(environment, readContextName("NAME", args.name));
  if (name === DEFAULT_CONTEXT) {
    throw usageError("the context default is the config file", "give another context");
  }
  await context.confirm(`Remove the context ${name}, and sign out of its server?`);
  const { signOut } = await import("../auth/run.ts");
  const logins = Logins.of(environment, name, err.warn);
  await signOut(context, logins, false);
  const wasUsed = await lockedContexts(environment, async () => {
    rmSync(contextPath(environment, name), { force: true });
    logins.clear();
    if (storedContext(environment) !== name) return false;
    await storeContext(environment, DEFAULT_CONTEXT);
    return true;
  });
  err.note(`removed the context ${name}${wasUsed ? "; commands use default" : ""}`);
};

function knownName(environment: Environment, name: string): string {
  if (contextNames(environment).includes(name)) return name;
  throw unknownContext(environment, name);
}

async function rowOf({ environment, settings }: Context, name: string): Promise<Row> {
  const row = { name, current: name === settings.context };
  // The settings of the command have its flags and variables, which concern no other context.
  const own = row.current ? settings : await settingsOf(environment, name);
  const file = contextPath(environment, name);
  if (own instanceof CommandError) {
    return { ...row, api: "", issuer: "", registry: "", login: "", file, problem: own.message };
  }
  const { api, issuer, registry, config } = own;
  const login = Logins.of(environment, name).current(issuer);
  return {
    ...row,
    api,
    issuer,
    registry,
    login: login === undefined ? "" : displayName(login),
    file: existsSync(config.path) ? config.path : "",
  };
}

async function settingsOf(
  environment: Environment,
  name: string,
): Promise<Settings | CommandError> {
  const config = await readContext(environment, name);
  if (config.problem !== undefined) return config.problem;
  try {
    return readSettings({ given: new Map(), environment: {}, config });
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
}
