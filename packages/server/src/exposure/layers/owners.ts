import { resolvePath } from "./image-path.ts";

/** The owners of files of language packages. */
export class Owners {
  /** Paths of files, as they are and as distributions may list them, by the real one. */
  readonly #paths = new Map<string, string>();
  /** The lengths of these paths in bytes. */
  readonly #lengths = new Set<number>();
  readonly #owners = new Map<string, string>();

  /**
   * @param paths Real paths of the files whose owners matter.
   * @param links A distribution lists `lib/x` where `lib` is a link to `usr/lib`.
   */
  constructor(paths: Iterable<string>, links: ReadonlyMap<string, string>) {
    const aliases = [...links.keys()]
      .filter((link) => !link.includes("/"))
      .map((link) => [`${link}/`, `${resolvePath(link, links, true)}/`] as const);
    for (const path of paths) {
      this.#add(path, path);
      for (const [alias, real] of aliases) {
        if (path.startsWith(real)) this.#add(alias + path.slice(real.length), path);
      }
    }
  }

  #add(listed: string, path: string): void {
    this.#paths.set(listed, path);
    this.#lengths.add(Buffer.byteLength(listed));
  }

  /** Whether the owner of a path of this length matters. Most paths of distributions have another one. */
  readonly hasLength = (bytes: number): boolean => this.#lengths.has(bytes);

  readonly isOwned = (path: string): boolean => this.#paths.has(path);

  add(path: string, owner: string): void {
    const real = this.#paths.get(path);
    if (real !== undefined) this.#owners.set(real, owner);
  }

  of(path: string): string | undefined {
    return this.#owners.get(path);
  }
}
