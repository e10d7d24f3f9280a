/**
 * The web console and the API reference: serves the built files of packages/console. Their pages call the API as any
 * other client does; their session is in login/console. Imports wire.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { getAssetKeys, getRawAsset, isSea } from "node:sea";
import type { Api } from "../wire/api.ts";
import type { HttpEndpoint, HttpRequest, HttpResponse } from "../wire/endpoint.ts";

const PATH = "/console/";
const DOCS_PATH = "/docs/";
const FILES_PATH = `${PATH}files/`;

/** Beside the bundle of the server, or where the build puts it for the sources. */
const FOLDERS = [
  join(import.meta.dirname, "console"),
  join(import.meta.dirname, "../../../cli/dist/console"),
];

/** The location of the files below the folder, and the folder in the assets of the single-file executable. */
const FILES = "files/";
const ASSETS = "console/";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

/** The encodings that the build writes, in the order of preference. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/**
 * Nothing from elsewhere, nothing inline, and no text that becomes code: names that users choose appear in many places.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
};

interface BuiltFile {
  readonly type: string;
  /** The contents by encoding; `identity` always exists. */
  readonly contents: ReadonlyMap<string, Buffer>;
}

interface BuiltConsole {
  readonly page: Buffer;
  readonly docs: Buffer;
  readonly files: ReadonlyMap<string, BuiltFile>;
}

/** Of all servers in this process; undefined if it failed. */
let reading: Promise<BuiltConsole> | undefined;

/** Registers the page and its files, and reads them: a build or an upgrade replaces them under a running server. */
export function registerConsole(api: Api): void {
  // A clone may be built later.
  readConsole().catch(() => {});
  api.addEndpoints(() => [
    { method: "GET", path: "/console", isPage: true, handle: async () => redirect(PATH) },
    { method: "GET", path: "/docs", isPage: true, handle: async () => redirect(DOCS_PATH) },
    endpoint(DOCS_PATH, ({ docs }) => servePage(docs)),
    endpoint(FILES_PATH, serveFile),
    endpoint(PATH, ({ page }) => servePage(page)),
  ]);
}

function readConsole(): Promise<BuiltConsole> {
  reading ??= loadConsole().catch((error) => {
    reading = undefined;
    throw error;
  });
  return reading;
}

type Respond = (built: BuiltConsole, request: HttpRequest) => HttpResponse;

function endpoint(path: string, respond: Respond): HttpEndpoint {
  const handle = async (request: HttpRequest) => respond(await readConsole(), request);
  return { method: "GET", path, prefix: true, isPage: true, handle };
}

function redirect(location: string): HttpResponse {
  return { status: 308, headers: { location }, body: "" };
}

/** All other paths below the prefix are places within the page. */
function servePage(page: Buffer): HttpResponse {
  return { status: 200, headers: PAGE_HEADERS, body: page };
}

/** Names contain a digest of the content, so that browsers keep files for good. */
function serveFile({ files }: BuiltConsole, { path, headers }: HttpRequest): HttpResponse {
  const file = files.get(path.slice(FILES_PATH.length));
  if (file === undefined) {
    return { status: 404, headers: { "content-type": "text/plain" }, body: "no such file" };
  }
  const accepted = String(headers["accept-encoding"] ?? "");
  const [encoding] =
    ENCODINGS.find(
      ([name]) => file.contents.has(name) && new RegExp(`\\b${name}\\b`).test(accepted),
    ) ?? [];
  return {
    status: 200,
    headers: {
      "content-type": file.type,
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
      ...(encoding && { "content-encoding": encoding }),
    },
    body: file.contents.get(encoding ?? "identity") as Buffer,
  };
}

async function loadConsole(): Promise<BuiltConsole> {
  const read = await readFiles();
  const page = read.get("index.html");
  const docs = read.get("docs.html");
  if (page === undefined || docs === undefined)
    throw new Error("the console is not built: run npm run build");
  const files = new Map<string, BuiltFile>();
  for (const [path, content] of read) {
    const type = TYPES[path.split(".").at(-1) ?? ""];
    if (type === undefined) continue;
    const contents = new Map([["identity", content]]);
    for (const [encoding, suffix] of ENCODINGS) {
      const encoded = read.get(path + suffix);
      if (encoded !== undefined) contents.set(encoding, encoded);
    }
    files.set(path.slice(FILES.length), { type, contents });
  }
  return { page, docs, files };
}

/** All files of the build by path: from the single-file executable, or from a folder. */
async function readFiles(): Promise<Map<string, Buffer>> {
  if (isSea()) {
    const keys = getAssetKeys().filter((key) => key.startsWith(ASSETS));
    return new Map(keys.map((key) => [key.slice(ASSETS.length), Buffer.from(getRawAsset(key))]));
  }
  const folder = FOLDERS.find((one) => existsSync(join(one, "index.html")));
  if (folder === undefined) return new Map();
  const files = new Map<string, Buffer>();
  // One after the other: there are hundreds, and file descriptors may be few.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(folder, path), await readFile(path));
  }
  return files;
}
