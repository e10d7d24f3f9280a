import { isUid } from "@wharf/contract";
import { browserCommand, browserOrigin, openBrowser } from "../auth/login/browser.ts";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { EXIT, notFound } from "../errors.ts";
import { problemOf } from "../problem.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { type HasUid, IDENTITY, IDENTITY_PROVIDER, REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { findTag } from "../tags/run.ts";
import type { openDefinition } from "./commands.ts";

export const run: Run<typeof openDefinition> = async (context, { resource, browser }) => {
  const { settings, environment, terminal, out, err } = context;
  const path = resource === undefined ? "" : await pathOf(context, resource);
  const url = `${browserOrigin(settings.issuer)}/console/${path}`;
  const canOpen = browserCommand(url, environment, process.platform) !== undefined;
  if (!browser || !terminal.isInteractive || !canOpen) return out.text(url);
  err.note(`opening ${url}`);
  openBrowser(url, environment, () => err.warn("no browser could be opened: visit the URL"));
};

type Find = (context: Context, text: string) => Promise<HasUid>;

/** Screens of the console, in the order in which a name is looked up. */
const SCREENS: readonly [screen: string, find: Find][] = [
  ["folders", resolveGroup],
  ["repo", (context, text) => resolve(context, REPO, text)],
  ["identity", (context, text) => resolve(context, IDENTITY, text)],
  ["provider", (context, text) => resolve(context, IDENTITY_PROVIDER, text)],
];

const TAG_SCREEN: (typeof SCREENS)[number] = ["tag", findTag];

async function pathOf(context: Context, text: string): Promise<string> {
  // A UID may be that of a tag; names of other resources have no colon.
  const isTag = text.includes(":");
  const others = isUid(text) ? [...SCREENS, TAG_SCREEN] : SCREENS;
  for (const [screen, find] of isTag ? [TAG_SCREEN] : others) {
    const found = await foundOf(context, find, text);
    if (found !== undefined) return `${screen}/${found.uid}`;
  }
  throw notFound(
    `nothing that the console shows is named "${text}"`,
    "give the path or UID of an organization, folder, repo, tag, identity or identity provider",
  );
}

async function foundOf(context: Context, find: Find, text: string): Promise<HasUid | undefined> {
  try {
    return await find(context, text);
  } catch (error) {
    context.signal.throwIfAborted();
    const { exitCode } = problemOf(error);
    if (exitCode === EXIT.notFound || exitCode === EXIT.denied) return undefined;
    throw error;
  }
}
