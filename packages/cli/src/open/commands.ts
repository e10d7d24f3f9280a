import { type Argument, command, define } from "../command/definition.ts";
import { completeOf } from "../resolve/choices.ts";
import { GROUP } from "../resolve/kinds.ts";

const RESOURCE = {
  name: "resource",
  summary: "Organization, folder, repo, tag, identity or identity provider: name, path or UID",
  complete: completeOf(GROUP),
} as const satisfies Argument;

export const openDefinition = define({
  name: "open",
  summary: "Open the web console, at a resource if one is given",
  description: "Without a terminal or a browser, prints the URL.",
  examples: [
    { command: "wharf open" },
    { command: "wharf open acme/platform", shows: "an organization or folder" },
    { command: "wharf open acme/app:1.2", shows: "a repo or tag" },
    { command: "wharf open acme/ci --no-browser", shows: "print the URL" },
  ],
  arguments: [RESOURCE],
  options: {
    browser: {
      type: "boolean",
      default: true,
      summary: "Open the browser; --no-browser only prints the URL",
    },
  },
});

export const open = command(openDefinition, () => import("./run.ts"));
