import type { Node } from "../command/definition.ts";
import { find } from "../command/find.ts";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import type { Column } from "../output/columns.ts";
import { showHelp } from "../run.ts";
import { wrap } from "../terminal/width.ts";
import { type VersionDetails, version, versionDetails } from "../version.ts";
import type { helpDefinition, versionDefinition } from "./commands.ts";
import { TOPICS, type Topic } from "./topics.ts";

const MAX_WIDTH = 100;

export const help: Run<typeof helpDefinition> = async ({ out, terminal }, { command: words }) => {
  const topic = TOPICS.find(({ name }) => words.length === 1 && name === words[0]);
  if (topic !== undefined) {
    return out.text(topicText(topic, Math.min(terminal.width ?? MAX_WIDTH, MAX_WIDTH)));
  }
  const { tree } = await import("../tree.ts");
  const { path } = find(tree, words);
  showHelp(path as readonly Node[]);
};

function topicText({ title, paragraphs }: Topic, width: number): string {
  const shown = paragraphs.map((text) =>
    text.startsWith(" ") ? text : wrap(text, width).join("\n"),
  );
  return [title, ...shown].join("\n\n");
}

/** The version of the server that commands use, or why it is unknown. */
interface ServerVersion {
  readonly api: string;
  readonly version?: string;
  readonly error?: string;
}

type Versions = VersionDetails & { readonly server: ServerVersion };

const VERSION_COLUMNS: readonly Column<Versions>[] = [
  { header: "Version", value: (details) => details.version },
  { header: "Commit", value: ({ commit }) => commit },
  { header: "Build date", value: ({ buildDate }) => buildDate },
  { header: "Node.js", value: ({ nodeVersion }) => nodeVersion },
  { header: "Platform", value: ({ platform }) => platform },
  { header: "Server", value: ({ server }) => server.version ?? server.error },
  { header: "Server URL", value: ({ server }) => server.api },
];

const SERVER_TIMEOUT_MS = 3_000;

/** Takes no login. A server that cannot be reached is no error: its version is all that is missing. */
async function serverVersion({ settings, signal }: Context): Promise<ServerVersion> {
  const { api } = settings;
  const { overNode } = await import("@wharf/client/node/http");
  const limit = AbortSignal.any([signal, AbortSignal.timeout(SERVER_TIMEOUT_MS)]);
  const request = { method: "GET", url: `${api}/version`, headers: {}, signal: limit };
  try {
    const response = await overNode({ ...request, body: undefined });
    const { version: found } = JSON.parse(await response.text()) as { version?: unknown };
    if (typeof found === "string" && /^[\w.+-]{1,64}$/.test(found)) return { api, version: found };
    return { api, error: "is no Wharf server" };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof SyntaxError) return { api, error: "is no Wharf server" };
    return { api, error: "cannot be reached" };
  }
}

export const printVersion: Run<typeof versionDefinition> = async (context) => {
  const { out, err } = context;
  const server = await serverVersion(context);
  if (out.format !== "table") {
    const id = (versions: Versions) => versions.version;
    return out.one({ ...versionDetails(), server }, VERSION_COLUMNS, { id });
  }
  // Scripts read the bare version.
  out.text(version());
  const found = server.version === undefined ? ` ${server.error}` : `: ${server.version}`;
  err.note(`server ${server.api}${found}`);
};
