import { LayerFailure } from "./failure.ts";
import { resolvePath } from "./image-path.ts";

interface Kept<T> {
  readonly layer: number;
  readonly value: T;
}

/**
 * The files of interest and the symbolic links of an image, layer by layer: a later layer replaces and removes those of
 * earlier ones. Paths are normal (see normalPath).
 */
export class ImageFiles<T> {
  readonly #files = new Map<string, Kept<T>>();
  readonly #links = new Map<string, string>();
  readonly #layerOfLink = new Map<string, number>();
  /** Called with what is replaced or removed. */
  readonly #onRemove: (value: T) => void;
  readonly #maxLinks: number;
  #layer = 0;
  /** Removals from earlier layers by this one: paths with all below them, and folders whose content goes. */
  #removed = new Set<string>();
  #emptied = new Set<string>();
  /** Folders that contain files or links of earlier layers. */
  #folders = new Set<string>();

  /** The folder of the last entry, and where it is. */
  #lastFolder: string | undefined;
  #lastPlace: string | undefined;

  constructor(maxLinks: number, onRemove: (value: T) => void = () => {}) {
    this.#maxLinks = maxLinks;
    this.#onRemove = onRemove;
  }

  get links(): ReadonlyMap<string, string> {
    return this.#links;
  }

  *[Symbol.iterator](): Generator<readonly [path: string, value: T]> {
    for (const [path, { value }] of this.#files) yield [path, value];
  }

  get(path: string): T | undefined {
    return this.#files.get(path)?.value;
  }

  /** The path at which an entry is created: below links, in the folder that they lead to. */
  placeOf(path: string): string | undefined {
    const slash = path.lastIndexOf("/");
    if (slash < 0) return path;
    const folder = path.slice(0, slash);
    // Entries of a folder follow each other.
    if (folder !== this.#lastFolder) {
      this.#lastFolder = folder;
      this.#lastPlace = resolvePath(folder, this.#links, true);
    }
    if (this.#lastPlace === undefined) return undefined;
    return this.#lastPlace === "" ? path.slice(slash + 1) : this.#lastPlace + path.slice(slash);
  }

  keep(path: string, value: T): void {
    this.#replace(path);
    this.#files.set(path, { layer: this.#layer, value });
  }

  link(path: string, target: string): void {
    this.#replace(path);
    this.#links.set(path, target);
    this.#lastFolder = undefined;
    this.#layerOfLink.set(path, this.#layer);
    if (this.#links.size > this.#maxLinks) {
      throw new LayerFailure("too_many_links", `more than ${this.#maxLinks} symbolic links`);
    }
  }

  /** Another entry, which replaces what has its path. */
  other(path: string): void {
    this.#replace(path);
  }

  /** A folder, which stays what it was, but replaces a file or a link. */
  folder(path: string): void {
    if (this.#files.has(path) || this.#links.has(path)) this.#drop(path);
  }

  /** A whiteout: removes what earlier layers have at a path. */
  remove(path: string): void {
    this.#removed.add(path);
    if ((this.#layerOfLink.get(path) ?? this.#layer) < this.#layer) this.#dropLink(path);
  }

  /** An opaque folder: removes what earlier layers have below it. */
  empty(path: string): void {
    this.#emptied.add(path);
  }

  /** Ends a layer: whiteouts do not affect entries of their own layer, whatever their order is. */
  endLayer(): void {
    if (this.#removed.size > 0 || this.#emptied.size > 0) {
      for (const [path, { layer }] of this.#files) {
        if (layer < this.#layer && this.#isGone(path)) this.#drop(path);
      }
      for (const [path, layer] of this.#layerOfLink) {
        if (layer < this.#layer && this.#isGone(path)) this.#dropLink(path);
      }
    }
    this.#removed = new Set();
    this.#emptied = new Set();
    this.#layer++;
    this.#folders = new Set();
    for (const paths of [this.#files, this.#links]) {
      for (const path of paths.keys()) this.#addFolders(path);
    }
  }

  #isGone(path: string): boolean {
    if (this.#removed.has(path)) return true;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (this.#removed.has(folder) || this.#emptied.has(folder)) return true;
    }
    return this.#emptied.has("");
  }

  #addFolders(path: string): void {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      if (this.#folders.has(folder)) return;
      this.#folders.add(folder);
    }
  }

  #replace(path: string): void {
    this.#drop(path);
    // It replaces a folder with all that earlier layers have in it.
    if (this.#folders.has(path)) this.#removed.add(path);
  }

  #drop(path: string): void {
    const file = this.#files.get(path);
    if (file !== undefined) {
      this.#files.delete(path);
      this.#onRemove(file.value);
    }
    this.#dropLink(path);
  }

  #dropLink(path: string): void {
    if (this.#links.delete(path)) this.#lastFolder = undefined;
    this.#layerOfLink.delete(path);
  }
}
