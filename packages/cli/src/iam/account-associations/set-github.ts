import type { Run } from "../../command/types.ts";
import { usageError } from "../../errors.ts";
import type { setGithubDefinition } from "./commands.ts";
import { setAccounts } from "./set.ts";

export const run: Run<typeof setGithubDefinition> = (context, { group, appId, installation }) => {
  number("--app-id", appId);
  const installations = installation.map((text) => {
    const [id = "", ...name] = text.split("=");
    return { installationId: number("--installation", id), name: name.join("=") };
  });
  return setAccounts(context, group, "github", (before) => ({
    github: {
      appInstallations: { ...before?.github?.appInstallations, [appId]: { installations } },
    },
  }));
};

function number(source: string, text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw usageError(`${source} must be a number, not "${text}"`);
}
