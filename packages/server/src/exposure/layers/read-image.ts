import { executable, wholeFile } from "./bodies.ts";
import { type Content, sizeOf } from "./contents.ts";
import { FileProblem, LayerFailure } from "./failure.ts";
import { ImageFiles } from "./image-files.ts";
import { normalPath } from "./image-path.ts";
import { interestIn, type ReadContent, readContent } from "./interest.ts";
import type { FileProblemReport } from "./inventory.ts";
import type { LayerLimits } from "./limits.ts";
import { type Body, type TarEntry, TarReader } from "./tar/tar-reader.ts";

const WHITEOUT = ".wh.";
const OPAQUE = ".wh..wh..opq";

/** Names of files that aufs has left in layers: no whiteouts. */
const AUFS = ".wh..wh.";

const ANY_EXECUTE_BIT = 0o111;

/** The smallest program: the header of an ELF file. */
const MIN_PROGRAM_BYTES = 64;

/** Keeps the target of hard links. */
const KEEP: ReadContent = (bytes) => ({ kind: "linked", bytes });

/** Reads the layers of an image, from its base on, into its files of interest. */
export class ImageReader {
  readonly files: ImageFiles<Content>;
  /** Problems of files, which a later layer may have removed. */
  readonly problems: FileProblemReport[] = [];
  /** Targets of hard links of interest that were not read. */
  readonly unread = new Set<string>();
  problemCount = 0;
  readonly #limits: LayerLimits;
  readonly #linked: ReadonlySet<string>;
  /** Asynchronous reads of files that end in the chunk. */
  #pending: Promise<void>[] = [];
  #entries = 0;
  #expandedBytes = 0;
  #keptBytes = 0;
  #packages = 0;

  /** @param linked Further files that are read, because hard links lead to them. */
  constructor(limits: LayerLimits, linked: Iterable<string> = []) {
    this.#limits = limits;
    this.#linked = new Set(linked);
    this.files = new ImageFiles(limits.links, (content) => this.#count(content, -1));
  }

  async readLayer(chunks: AsyncIterable<Buffer>): Promise<void> {
    const tar = new TarReader((entry) => this.#entry(entry));
    for await (const chunk of chunks) {
      this.#expandedBytes += chunk.length;
      if (this.#expandedBytes > this.#limits.expandedBytes) {
        throw new LayerFailure("layer_too_large", `more than ${this.#limits.expandedBytes} bytes`);
      }
      tar.push(chunk);
      if (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
      if (tar.isEnded) break;
    }
    tar.finish();
    this.files.endLayer();
  }

  report({ code, message }: FileProblem, path: string): void {
    this.problemCount++;
    if (this.problems.length < this.#limits.problems) this.problems.push({ code, path, message });
  }

  #entry(entry: TarEntry): Body | undefined {
    if (++this.#entries > this.#limits.entries) {
      throw new LayerFailure("too_many_entries", `more than ${this.#limits.entries} entries`);
    }
    const normal = normalPath(entry.path);
    const path = normal && this.files.placeOf(normal);
    if (normal === "") return undefined;
    if (path === undefined) {
      const text = "the path leaves the image, or is too long";
      this.report(new FileProblem("invalid_path", text), entry.path.slice(0, 256));
      return undefined;
    }
    const slash = path.lastIndexOf("/");
    if (path.startsWith(WHITEOUT, slash + 1)) this.#whiteout(path, slash);
    else if (entry.type === "directory") this.files.folder(path);
    else if (entry.type === "symlink") this.files.link(path, entry.link);
    else {
      this.files.other(path);
      if (entry.type === "link") this.#hardLink(path, entry.link);
      else if (entry.type === "file") return this.#bodyOf(path, entry);
      else if (entry.type === "sparse" && interestIn(path) !== undefined) {
        this.report(new FileProblem("malformed", "sparse files are not supported"), path);
      }
    }
    return undefined;
  }

  #whiteout(path: string, slash: number): void {
    const name = path.slice(slash + 1);
    const folder = path.slice(0, Math.max(0, slash));
    if (name === OPAQUE) this.files.empty(folder);
    else if (!name.startsWith(AUFS)) {
      this.files.remove(path.slice(0, slash + 1) + name.slice(WHITEOUT.length));
    }
  }

  #hardLink(path: string, link: string): void {
    const normal = normalPath(link);
    const target = normal && this.files.placeOf(normal);
    const content = target && this.files.get(target);
    const read = interestIn(path);
    if (content && content.kind !== "linked") this.#keep(path, content);
    else if (content && read) this.#read(path, read, content.bytes);
    else if (target && read) {
      if (this.unread.size < this.#limits.linked) this.unread.add(target);
      const text = `is a link to ${link.slice(0, 256)}, which was not read`;
      this.report(new FileProblem("unresolved_link", text), path);
    }
  }

  #bodyOf(path: string, { size, mode }: TarEntry): Body | undefined {
    const read = interestIn(path) ?? (this.#linked.has(path) ? KEEP : undefined);
    const { fileBytes } = this.#limits;
    if (read === undefined) {
      const isProgram = (mode & ANY_EXECUTE_BIT) !== 0 && size >= MIN_PROGRAM_BYTES;
      if (!isProgram) return undefined;
      return executable(fileBytes, (content) => this.#keep(path, content));
    }
    if (size > fileBytes) {
      const problem = new FileProblem("file_too_large", `has ${size} bytes`);
      this.#keep(path, { kind: "problem", problem });
      return undefined;
    }
    return wholeFile(size, (bytes) => this.#read(path, read, bytes));
  }

  #read(path: string, read: ReadContent, bytes: Buffer): void {
    const content = readContent(read, bytes, this.#limits.fileBytes);
    if (!(content instanceof Promise)) this.#keep(path, content);
    else this.#pending.push(content.then((later) => this.#keep(path, later)));
  }

  #keep(path: string, content: Content): void {
    if (this.#keptBytes + sizeOf(content) > this.#limits.keptBytes) {
      const problem = new FileProblem("file_too_large", "the databases are too large together");
      this.files.keep(path, { kind: "problem", problem });
      return;
    }
    this.files.keep(path, content);
    this.#count(content, 1);
    if (this.#packages > this.#limits.packages) {
      throw new LayerFailure("too_many_packages", `more than ${this.#limits.packages} packages`);
    }
  }

  #count(content: Content, sign: 1 | -1): void {
    this.#keptBytes += sign * sizeOf(content);
    if (content.kind === "packages") this.#packages += sign * content.packages.length;
  }
}
