import { chmodSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { failed } from "../../errors.ts";
import type { Environment } from "../../settings.ts";

import { type Login, parseLogin } from "./login.ts";
import { cacheFolder, safeName } from "./path.ts";
import { makePrivateFolder, mustBeWritable, writeWhole } from "./private-file.ts";

/** Which login: there is one for each issuer and identity. */
export type LoginKey = Pick<Login, "issuer" | "identity">;

const ENDING = ".json";
const CURRENT = "current";

/**
 * The logins of this user, on disk: `<cache>/<issuer>/<identity>.json`, and beside them which one is
 * the current one. Only their owner can read them.
 */
export class Logins {
  readonly #folder: string;
  readonly #warn: (text: string) => void;

  constructor(folder: string, warn: (text: string) => void = () => {}) {
    this.#folder = folder;
    this.#warn = warn;
  }

  static of(environment: Environment, warn?: (text: string) => void): Logins {
    return new Logins(cacheFolder(environment), warn);
  }

  /** The login that commands use; undefined when nobody is logged in. */
  current(issuer: string): Login | undefined {
    const identity = read(this.#path(issuer, CURRENT))?.trim();
    return identity ? this.find({ issuer, identity }) : undefined;
  }

  find({ issuer, identity }: LoginKey): Login | undefined {
    const login = this.#read(this.#file({ issuer, identity }));
    return login?.issuer === issuer && login.identity === identity ? login : undefined;
  }

  /** All of them, of every issuer, with which of them are current. */
  all(): { readonly login: Login; readonly current: boolean }[] {
    const files = entries(this.#folder).flatMap((folder) => {
      const names = entries(join(this.#folder, folder)).filter((name) => name.endsWith(ENDING));
      return names.map((name) => join(this.#folder, folder, name));
    });
    const logins = files.map((file) => this.#read(file)).filter((login) => login !== undefined);
    return logins.map((login) => {
      const current = read(this.#path(login.issuer, CURRENT))?.trim() === login.identity;
      return { login, current };
    });
  }

  /** Keeps a login in place of what was there, where `prepare` has been. */
  save(login: Login): void {
    writeWhole(this.#file(login), `${JSON.stringify(login)}\n`, 0o600);
  }

  /** Makes a login the one that commands use. */
  makeCurrent({ issuer, identity }: LoginKey): void {
    writeWhole(this.#path(issuer, CURRENT), `${identity}\n`, 0o600);
  }

  remove({ issuer, identity }: LoginKey): void {
    rmSync(this.#file({ issuer, identity }), { force: true });
    const current = this.#path(issuer, CURRENT);
    if (read(current)?.trim() === identity) rmSync(current, { force: true });
  }

  /** Changes a login while no other process does. */
  async locked<T>(key: LoginKey, work: () => Promise<T>): Promise<T> {
    const { locked } = await import("@wharf/client/node");
    return locked(this.#file(key).replace(/json$/, "lock"), work);
  }

  /**
   * Makes sure that logins of an issuer can be kept, and says why where they cannot: a refresh token
   * that is spent for one that cannot be kept is a session that is lost.
   */
  prepare(issuer: string): void {
    const folder = this.#path(issuer);
    try {
      makePrivateFolder(folder);
      for (const own of [this.#folder, folder]) closeToOthers(own);
      mustBeWritable(folder);
    } catch (error) {
      throw failed(
        `logins cannot be kept in ${this.#folder}: ${(error as Error).message}`,
        "set XDG_CACHE_HOME to a folder that can be written, or put a token into WHARF_TOKEN",
      );
    }
  }

  #read(file: string): Login | undefined {
    const text = read(file);
    if (text === undefined) return undefined;
    const login = parseLogin(text);
    if (login === undefined) this.#warn(`${file} is damaged, and passed over`);
    return login;
  }

  #file({ issuer, identity }: LoginKey): string {
    return this.#path(issuer, `${safeName(identity)}${ENDING}`);
  }

  #path(issuer: string, ...below: string[]): string {
    return join(this.#folder, safeName(issuer), ...below);
  }
}

/** Folders that were made by hand may be open to everyone. */
function closeToOthers(folder: string): void {
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
