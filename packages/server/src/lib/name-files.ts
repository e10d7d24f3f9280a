import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

/** Where the machine says how names are resolved. */
export interface NameFilePaths {
  readonly hosts: string;
  readonly resolvConf: string;
}

const PATHS: NameFilePaths = { hosts: "/etc/hosts", resolvConf: "/etc/resolv.conf" };

/** How long the files are used without a look at them. */
const FRESH_MS = 1_000;

/** Names with this many dots are tried as they are first, as resolv.conf(5) says. */
const DEFAULT_DOTS = 1;

interface Content {
  readonly addresses: ReadonlyMap<string, readonly string[]>;
  readonly search: readonly string[];
  readonly dots: number;
}

/**
 * The hosts file and the search domains of this machine, read again when they change, as the C library does. Small local
 * files: they are read synchronously.
 */
export class NameFiles {
  readonly #paths: NameFilePaths;
  #content: Content = { addresses: new Map(), search: [], dots: DEFAULT_DOTS };
  #version = "";
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(paths: NameFilePaths = PATHS) {
    this.#paths = paths;
  }

  /** Changes whenever one of the files does. */
  get version(): string {
    this.#refresh();
    return this.#version;
  }

  /** The addresses that the hosts file has for a name. */
  addressesOf(name: string): readonly string[] {
    this.#refresh();
    const { addresses } = this.#content;
    return addresses.get(name.toLowerCase().replace(/\.$/, "")) ?? [];
  }

  /** What to ask DNS for, in order: the name itself, and the name in each search domain. */
  candidates(name: string): readonly string[] {
    if (name.endsWith(".")) return [name];
    this.#refresh();
    const { search, dots } = this.#content;
    const within = search.map((domain) => `${name}.${domain}`);
    return name.split(".").length > dots ? [name, ...within] : [...within, name];
  }

  #refresh(): void {
    const now = performance.now();
    if (now - this.#checkedAt < FRESH_MS) return;
    this.#checkedAt = now;
    const { hosts, resolvConf } = this.#paths;
    const version = `${versionOf(hosts)} ${versionOf(resolvConf)}`;
    if (version === this.#version) return;
    this.#content = { addresses: parseHosts(read(hosts)), ...parseSearch(read(resolvConf)) };
    this.#version = version;
  }
}

function parseHosts(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names.map((one) => one.toLowerCase()))
      found.set(name, [...(found.get(name) ?? []), address]);
  }
  return found;
}

/** The last `search` or `domain` line counts, and `ndots` of the options. */
function parseSearch(text: string): Pick<Content, "search" | "dots"> {
  let search: string[] = [];
  let dots = DEFAULT_DOTS;
  for (const line of text.split("\n")) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/);
    if (keyword === "search" || keyword === "domain") search = values.filter((one) => one !== ".");
    if (keyword !== "options") continue;
    const option = values.find((value) => /^ndots:\d+$/.test(value));
    if (option !== undefined) dots = Number(option.slice("ndots:".length));
  }
  return { search, dots };
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function versionOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "none" : `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
}
