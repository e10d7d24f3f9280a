import type { KeysRotated } from "@wharf/server/app/admin-keys.ts";
import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import { counted } from "../output/counted.ts";
import type { rotateDefinition } from "./commands.ts";
import { confirm } from "./confirm.ts";
import { splitWords } from "./words.ts";

const QUESTIONS = {
  now: "Revoke every token signed so far, here and at registries?",
  all: "Replace all keys and secrets, revoke every token and end every session?",
  lost: "Replace all keys and secrets, and delete the client secrets of identity providers?",
} as const;

export const run: Run<typeof rotateDefinition> = async (_context, { words }) => {
  const own = ["now", "all", "lost-secret-key", "yes"];
  const { flags, settings: others } = splitWords(words, { flags: own });
  const lost = flags.has("lost-secret-key");
  if (lost && !flags.has("all")) throw new ConfigError("--lost-secret-key requires --all");
  const mode = flags.has("all") ? "all" : flags.has("now") ? "now" : "overlap";
  const settings = await readSettings(others, process.env);
  if (mode !== "overlap" && !flags.has("yes")) await confirm(QUESTIONS[lost ? "lost" : mode]);
  const { replaceLostSecretKey, rotate } = await import("@wharf/server/app/admin-keys.ts");
  const rotated = lost ? await replaceLostSecretKey(settings) : await rotate(settings, mode);
  for (const line of [...done(rotated), ...next(rotated, lost)]) console.error(`wharf: ${line}`);
  console.log(rotated.kid);
  if (rotated.rs256Kid !== undefined) console.log(rotated.rs256Kid);
};

function done({ mode, registryKeys, sessionsEnded }: KeysRotated): string[] {
  if (mode === "overlap") {
    return [
      "tokens are signed with a new key; the old one is accepted until its last token has expired",
    ];
  }
  const keys = registryKeys ? "signing keys and registry keys" : "signing keys";
  const replaced = `replaced: ${keys}; tokens signed by the old ones are rejected from the next request on`;
  if (mode === "now") return [replaced];
  return [
    replaced,
    "replaced: the secrets of refresh tokens, page tokens and registry notifications",
    `ended: ${counted(sessionsEnded, "session")}, sign-ins in progress, setup and reset codes`,
  ];
}

/** The steps that remain for the operator. */
function next({ mode, registryKeys, clientSecrets }: KeysRotated, lost: boolean): string[] {
  if (mode === "overlap") return [];
  const steps: string[] = [];
  if (registryKeys) {
    steps.push(
      "give every registry the new /registry/certs.pem and restart it: until then it accepts the old keys and no new ones",
    );
    if (mode === "all")
      steps.push(
        "give every registry its new notification secret: wharf admin registry-secret HOST",
      );
  }
  if (mode === "all" && clientSecrets.length > 0) {
    const listed = clientSecrets.map(({ name, uid }) => `${name} (${uid})`).join(", ");
    const what = lost
      ? "set the client secret again at these identity providers"
      : "if the secret key leaked, too, replace the client secret of these identity providers";
    steps.push(`${what}: ${listed}`);
  }
  if (mode === "all") steps.push("ask users to sign in again, and create new operator tokens");
  return steps.map((step) => `next: ${step}`);
}
