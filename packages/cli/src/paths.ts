import { homedir } from "node:os";
import { join } from "node:path";

/** Locations of the user's files: in the platform's directories, unless XDG_… says otherwise. */

type Variables = Readonly<Record<string, string | undefined>>;

export function configPath(
  environment: Variables,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  return join(configHome(environment, platform, home), "wharf", "config.yaml");
}

function configHome(environment: Variables, platform: NodeJS.Platform, home: string): string {
  if (environment.XDG_CONFIG_HOME) return environment.XDG_CONFIG_HOME;
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return environment.APPDATA ?? join(home, "AppData", "Roaming");
  return join(home, ".config");
}

/** The directory of stored logins, and of those of contexts below it. */
export function cacheFolder(
  environment: Variables,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  return join(cacheHome(environment, platform, home), "wharf");
}

function cacheHome(environment: Variables, platform: NodeJS.Platform, home: string): string {
  if (environment.XDG_CACHE_HOME) return environment.XDG_CACHE_HOME;
  if (platform === "darwin") return join(home, "Library", "Caches");
  if (platform === "win32") return environment.LOCALAPPDATA ?? join(home, "AppData", "Local");
  return join(home, ".cache");
}

/** Short enough for every file system. */
const MAX_READABLE_CHARS = 60;

/** A safe file name: a readable part, and a digest that makes it unique. */
export function safeName(text: string): string {
  // Most commands do without, and loading it takes as long as they do.
  const { hash } = process.getBuiltinModule("node:crypto");
  const readable = text.replace(/[^A-Za-z0-9.]+/g, "-").slice(0, MAX_READABLE_CHARS);
  return `${readable}-${hash("sha256", text, "hex").slice(0, 16)}`;
}
