import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { usageError } from "../errors.ts";
import { configPath } from "../paths.ts";

/**
 * Contexts: the settings of several servers, by name. The config file is the context `default`; others are files of
 * the same form in `contexts` beside it, and `contexts/current` names the one in use. Read at every start.
 */

type Variables = Readonly<Record<string, string | undefined>>;

export const DEFAULT_CONTEXT = "default";

const EXTENSION = ".yaml";

/** Names are file names. */
const NAME = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/;

/** Checks the name of a context. */
export function readContextName(source: string, text: string): string {
  if (NAME.test(text)) return text;
  throw usageError(
    `${source} must have up to 63 lowercase letters, digits, dots, underscores and hyphens, not "${text}"`,
  );
}

/** The config file of a context. */
export function contextPath(environment: Variables, name: string): string {
  return name === DEFAULT_CONTEXT
    ? configPath(environment)
    : join(contextFolder(environment), `${name}${EXTENSION}`);
}

/** All contexts by name, `default` first. */
export function contextNames(environment: Variables): string[] {
  const named = entries(contextFolder(environment))
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .filter((name) => NAME.test(name) && name !== DEFAULT_CONTEXT);
  return [DEFAULT_CONTEXT, ...named.sort()];
}

/** The context in use. */
export function storedContext(environment: Variables): string {
  try {
    const name = readFileSync(currentPath(environment), "utf8").trim();
    return NAME.test(name) ? name : DEFAULT_CONTEXT;
  } catch {
    return DEFAULT_CONTEXT;
  }
}

/** Selects the context in use. */
export async function storeContext(environment: Variables, name: string): Promise<void> {
  const path = currentPath(environment);
  if (name === DEFAULT_CONTEXT) return rmSync(path, { force: true });
  const { writeAtomically } = await import("../auth/cache/private-file.ts");
  writeAtomically(path, `${name}\n`, 0o600);
}

/** Changes contexts, or the config file of one, in one process at a time. */
export async function lockedContexts<T>(
  environment: Variables,
  work: () => Promise<T>,
): Promise<T> {
  return lockedFile(join(contextFolder(environment), "lock"), work);
}

/** Holds the lock of a config file that belongs to no context. */
export async function lockedFile<T>(lock: string, work: () => Promise<T>): Promise<T> {
  const [{ locked }, { makePrivateFolder }] = await Promise.all([
    import("@wharf/client/node"),
    import("../auth/cache/private-file.ts"),
  ]);
  makePrivateFolder(dirname(lock));
  return locked(lock, work);
}

function contextFolder(environment: Variables): string {
  return join(dirname(configPath(environment)), "contexts");
}

function currentPath(environment: Variables): string {
  return join(contextFolder(environment), "current");
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
