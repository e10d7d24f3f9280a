import { hash } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../settings.ts";

/** The folder for logins: where the system keeps caches, unless XDG_CACHE_HOME says otherwise. */
export function cacheFolder(
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  return join(cacheHome(environment, platform, home), "wharf");
}

function cacheHome(environment: Environment, platform: NodeJS.Platform, home: string): string {
  if (environment.XDG_CACHE_HOME) return environment.XDG_CACHE_HOME;
  if (platform === "darwin") return join(home, "Library", "Caches");
  if (platform === "win32") return environment.LOCALAPPDATA ?? join(home, "AppData", "Local");
  return join(home, ".cache");
}

/** As much as people look at, and no file system minds. */
const READABLE = 60;

/** A name for a file that tells what it is for. The digest keeps apart what reads the same. */
export function safeName(text: string): string {
  const readable = text.replace(/[^A-Za-z0-9.]+/g, "-").slice(0, READABLE);
  return `${readable}-${hash("sha256", text, "hex").slice(0, 16)}`;
}
