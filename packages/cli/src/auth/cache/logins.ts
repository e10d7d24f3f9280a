import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_CONTEXT } from "../../contexts/files.ts";
import { failed } from "../../errors.ts";
import { cacheFolder, safeName } from "../../paths.ts";
import type { Environment } from "../../settings.ts";
import { type Login, parseLogin } from "./login.ts";
import { makePrivateFolder, requireWritable, writeAtomically } from "./private-file.ts";

/** Identifies a login. */
export type LoginKey = Pick<Login, "issuer" | "identity">;

const EXTENSION = ".json";
const CURRENT = "current";

/** The directory of the contexts' logins, below that of the context `default`. */
const CONTEXTS = "contexts";

/**
 * The stored logins of a context: `<cache>/<issuer>/<identity>.json`, and a file `current` that names the identity in
 * use. Logins of other contexts than `default` are in `<cache>/contexts/<name>`. Only the owner can read them.
 */
export class Logins {
  readonly #folder: string;
  readonly #warn: (text: string) => void;

  constructor(folder: string, warn: (text: string) => void = () => {}) {
    this.#folder = folder;
    this.#warn = warn;
  }

  static of(environment: Environment, context: string, warn?: (text: string) => void): Logins {
    const folder = cacheFolder(environment);
    return new Logins(context === DEFAULT_CONTEXT ? folder : join(folder, CONTEXTS, context), warn);
  }

  /** The logins of every context that has any. */
  static ofAll(
    environment: Environment,
    warn?: (text: string) => void,
  ): { readonly context: string; readonly logins: Logins }[] {
    const named = entries(join(cacheFolder(environment), CONTEXTS));
    return [DEFAULT_CONTEXT, ...named].map((context) => ({
      context,
      logins: Logins.of(environment, context, warn),
    }));
  }

  /** The login in use; undefined if there is none. */
  current(issuer: string): Login | undefined {
    const identity = read(this.#path(issuer, CURRENT))?.trim();
    return identity ? this.find({ issuer, identity }) : undefined;
  }

  find({ issuer, identity }: LoginKey): Login | undefined {
    const login = this.#read(this.#file({ issuer, identity }));
    return login?.issuer === issuer && login.identity === identity ? login : undefined;
  }

  /** All logins of all issuers in this context. */
  all(): { readonly login: Login; readonly current: boolean }[] {
    const folders = entries(this.#folder).filter((name) => name !== CONTEXTS);
    const files = folders.flatMap((folder) => {
      const names = entries(join(this.#folder, folder)).filter((name) => name.endsWith(EXTENSION));
      return names.map((name) => join(this.#folder, folder, name));
    });
    const logins = files.map((file) => this.#read(file)).filter((login) => login !== undefined);
    return logins.map((login) => {
      const current = read(this.#path(login.issuer, CURRENT))?.trim() === login.identity;
      return { login, current };
    });
  }

  /** Stores a login. Requires `prepare`. */
  save(login: Login): void {
    writeAtomically(this.#file(login), `${JSON.stringify(login)}\n`, 0o600);
  }

  /** Selects the login in use. */
  makeCurrent({ issuer, identity }: LoginKey): void {
    writeAtomically(this.#path(issuer, CURRENT), `${identity}\n`, 0o600);
  }

  remove({ issuer, identity }: LoginKey): void {
    rmSync(this.#file({ issuer, identity }), { force: true });
    const current = this.#path(issuer, CURRENT);
    if (read(current)?.trim() === identity) rmSync(current, { force: true });
  }

  /** Removes the directory, with all logins. */
  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Holds the lock of a login, so that no other process changes it. */
  async locked<T>(key: LoginKey, work: () => Promise<T>): Promise<T> {
    const { locked } = await import("@wharf/client/node");
    return locked(this.#file(key).replace(/json$/, "lock"), work);
  }

  /**
   * Ensures that logins can be stored. Checked before a refresh token is used: if its successor cannot
   * be stored, the session is lost.
   */
  prepare(issuer: string): void {
    const folder = this.#path(issuer);
    try {
      makePrivateFolder(folder);
      for (const own of [this.#folder, folder]) removeOthersAccess(own);
      requireWritable(folder);
    } catch (error) {
      throw failed(
        `logins cannot be stored in ${this.#folder}: ${(error as Error).message}`,
        "set XDG_CACHE_HOME to a writable directory, or set WHARF_TOKEN",
      );
    }
  }

  #read(file: string): Login | undefined {
    const text = read(file);
    if (text === undefined) return undefined;
    const login = parseLogin(text);
    if (login === undefined) this.#warn(`ignoring ${file}: invalid content`);
    return login;
  }

  #file({ issuer, identity }: LoginKey): string {
    return this.#path(issuer, `${safeName(identity)}${EXTENSION}`);
  }

  #path(issuer: string, ...below: string[]): string {
    return join(this.#folder, safeName(issuer), ...below);
  }
}

/** Directories created by hand may be readable by everyone. */
function removeOthersAccess(folder: string): void {
  const { mode } = statSync(folder);
  if (process.platform !== "win32" && mode & 0o077) chmodSync(folder, mode & 0o700);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function entries(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch {
    return [];
  }
}
