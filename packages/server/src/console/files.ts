/**
 * The web console and the API reference: serves the built files of packages/console. Their pages call the API as any
 * other client does; their session is in login/console. Imports wire.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
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

/** Where the files are below the folder, and the folder in the assets of the single-file executable. */
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
 * Nothing from elsewhere, nothing inline, and no text that becomes code: what people call things is shown in many
 * places.
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

/** Registers the page and its files. They are read when they are first requested. */
export function registerConsole(api: Api): void {
  let built: BuiltConsole | undefined;
  const load = () => {
    built ??= loadConsole();
    return built;
  };
  api.addEndpoints(() => [
    { method: "GET", path: "/console", isPage: true, handle: async () => redirect(PATH) },
    { method: "GET", path: "/docs", isPage: true, handle: async () => redirect(DOCS_PATH) },
    endpoint(DOCS_PATH, () => servePage(load().docs)),
    endpoint(FILES_PATH, (request) => serveFile(load(), request)),
    endpoint(PATH, () => servePage(load().page)),
  ]);
}

function endpoint(path: string, respond: (request: HttpRequest) => HttpResponse): HttpEndpoint {
  const handle = async (request: HttpRequest) => respond(request);
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

function loadConsole(): BuiltConsole {
  const read = readFiles();
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
function readFiles(): Map<string, Buffer> {
  if (isSea()) {
    const keys = getAssetKeys().filter((key) => key.startsWith(ASSETS));
    return new Map(keys.map((key) => [key.slice(ASSETS.length), Buffer.from(getRawAsset(key))]));
  }
  const folder = FOLDERS.find((one) => existsSync(join(one, "index.html")));
  if (folder === undefined) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return new Map(paths.map((path) => [relative(folder, path), readFileSync(path)]));
}
