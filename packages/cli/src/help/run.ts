import type { Node } from "../command/definition.ts";
import { find } from "../command/find.ts";
import type { Run } from "../command/types.ts";
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

const VERSION_COLUMNS: readonly Column<VersionDetails>[] = [
  { header: "Version", value: (details) => details.version },
  { header: "Commit", value: ({ commit }) => commit },
  { header: "Build date", value: ({ buildDate }) => buildDate },
  { header: "Node.js", value: ({ nodeVersion }) => nodeVersion },
  { header: "Platform", value: ({ platform }) => platform },
];

export const printVersion: Run<typeof versionDefinition> = async ({ out }) => {
  // Scripts read the bare version.
  if (out.format === "table") return out.text(version());
  await out.one(versionDetails(), VERSION_COLUMNS, { id: (details) => details.version });
};
