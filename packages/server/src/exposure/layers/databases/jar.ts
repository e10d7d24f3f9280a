import { inflateRawSync } from "node:zlib";
import {
  contentPosition,
  entriesOf,
  readDirectory,
  type ZipEntry,
} from "@wharf/advisories/zip-directory";
import { FileProblem } from "../failure.ts";
import { isField } from "./distribution-package.ts";
import { type LanguagePackage, languagePackage } from "./language-package.ts";

export const JAR_PATH = /\.(?:jar|war|ear|hpi|jpi|par|sar|nar)$/;

const COORDINATES = /^META-INF\/maven\/[^/]+\/[^/]+\/pom\.properties$/;
const NESTED = /\.(?:jar|war)$/;

const MAX_ENTRIES = 200_000;
const MAX_PROPERTIES_BYTES = 64 * 1024;

const STORED = 0;
const DEFLATED = 8;

/** Packages in a jar, and the number of jars, with those in it, that have no coordinates. */
export interface JarContent {
  readonly packages: readonly LanguagePackage[];
  readonly unknown: number;
}

/** Bytes that may still be decompressed, of a jar with all in it. */
interface Budget {
  bytes: number;
}

/** Reads the Maven coordinates in a jar, and in the jars that it contains. */
export async function readJar(bytes: Buffer, maxBytes: number): Promise<JarContent> {
  try {
    return await contentOf(bytes, { bytes: maxBytes }, true);
  } catch (error) {
    throw error instanceof FileProblem
      ? error
      : new FileProblem("malformed", (error as Error).message);
  }
}

async function contentOf(bytes: Buffer, budget: Budget, isOuter: boolean): Promise<JarContent> {
  const file = randomAccess(bytes);
  const directory = await readDirectory(file);
  if (directory.count > MAX_ENTRIES) throw tooLarge(`more than ${MAX_ENTRIES} entries`);
  const packages: LanguagePackage[] = [];
  let unknown = 0;
  let isContainer = false;
  for await (const entry of entriesOf(file, directory)) {
    const isNested = isOuter && NESTED.test(entry.path);
    if (entry.isLink || entry.isEncrypted || !(isNested || COORDINATES.test(entry.path))) continue;
    const content = await inflate(bytes, entry, isNested ? budget.bytes : MAX_PROPERTIES_BYTES);
    budget.bytes -= content.length;
    if (!isNested) packages.push(...coordinatesIn(content));
    else {
      isContainer = true;
      const nested = await nestedContent(content, budget);
      packages.push(...nested.packages);
      unknown += nested.unknown;
    }
  }
  const isUnknown = packages.length === 0 && !isContainer;
  return { packages, unknown: unknown + (isUnknown ? 1 : 0) };
}

/** A nested jar that cannot be read is one without coordinates: those around it are known. */
async function nestedContent(bytes: Buffer, budget: Budget): Promise<JarContent> {
  try {
    return await contentOf(bytes, budget, false);
  } catch (error) {
    if (error instanceof FileProblem && error.code === "file_too_large") throw error;
    return { packages: [], unknown: 1 };
  }
}

async function inflate(bytes: Buffer, entry: ZipEntry, maxBytes: number): Promise<Buffer> {
  const start = await contentPosition(randomAccess(bytes), entry);
  const content = bytes.subarray(start, start + entry.compressedSize);
  if (entry.size > maxBytes) throw tooLarge(`more than ${maxBytes} bytes`);
  if (entry.method === STORED) return content;
  if (entry.method !== DEFLATED) {
    throw new FileProblem("malformed", `unsupported compression method: ${entry.method}`);
  }
  return inflateRawSync(content, { maxOutputLength: Math.max(1, entry.size) });
}

/** Properties of Java: lines of `key=value` or `key: value`. */
function coordinatesIn(bytes: Buffer): LanguagePackage[] {
  const values = new Map(
    bytes
      .toString("latin1")
      .split(/\r?\n/)
      .map((line) => /^\s*(groupId|artifactId|version)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [])
      .map(([, key = "", value = ""]) => [key, value]),
  );
  const [group, artifact] = [values.get("groupId"), values.get("artifactId")];
  const version = values.get("version");
  if (!isField(group) || !isField(artifact) || !isField(version)) return [];
  const name = `${group}:${artifact}`;
  return [languagePackage("java", name, version, { segments: [group, artifact] })];
}

function randomAccess(bytes: Buffer) {
  return {
    size: bytes.length,
    read: async (position: number, length: number) => bytes.subarray(position, position + length),
    stream: async function* () {
      yield bytes;
    },
  };
}

function tooLarge(bound: string): FileProblem {
  return new FileProblem("file_too_large", `the jar contains ${bound}`);
}
