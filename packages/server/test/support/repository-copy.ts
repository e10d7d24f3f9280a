/** A copy of this repository, for tests that change its sources. */
import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../../../..");
const COPIED = ["package.json", "buf.yaml", "buf.gen.yaml", "proto", "packages", "scripts", "docs"];
const LEFT_OUT = new Set(["node_modules", "test", "dist"]);

/** A copy of the repository in a temporary folder, without tests. Dependencies are links to the original's. */
export class RepositoryCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), "wharf-copy-"));

  constructor() {
    const filter = (path: string) => !LEFT_OUT.has(basename(path));
    for (const name of COPIED) {
      cpSync(join(ROOT, name), join(this.#folder, name), { recursive: true, filter });
    }
    this.#link("node_modules", ["@wharf"]);
    // Its own packages must import each other from the copy.
    mkdirSync(join(this.#folder, "node_modules/@wharf"));
    for (const name of readdirSync(join(this.#folder, "packages"))) {
      const link = join(this.#folder, "node_modules/@wharf", name);
      symlinkSync(join(this.#folder, "packages", name), link);
    }
  }

  /** A file of the copy, or one that a test may make. */
  path(name: string): string {
    return join(this.#folder, name);
  }

  write(name: string, text: string): void {
    writeFileSync(this.path(name), text);
  }

  /** `npm run generate`. */
  async generate(): Promise<void> {
    await promisify(execFile)(process.execPath, [this.path("scripts/generate.ts")]);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the types of the copy exist only after its generation.
  import(name: string): Promise<any> {
    return import(pathToFileURL(this.path(name)).href);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Links every entry of a folder, except for some. */
  #link(folder: string, except: readonly string[]): void {
    mkdirSync(this.path(folder));
    for (const name of readdirSync(join(ROOT, folder))) {
      if (!except.includes(name))
        symlinkSync(join(ROOT, folder, name), this.path(`${folder}/${name}`));
    }
  }
}
