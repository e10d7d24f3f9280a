import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Where the config file is: where the system keeps such files, unless XDG_CONFIG_HOME says otherwise.
 */
export function configPath(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform = process.platform,
  home = homedir(),
): string {
  return join(configHome(environment, platform, home), "wharf", "config.yaml");
}

function configHome(
  environment: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  home: string,
): string {
  if (environment.XDG_CONFIG_HOME) return environment.XDG_CONFIG_HOME;
  if (platform === "darwin") return join(home, "Library", "Application Support");
  if (platform === "win32") return environment.APPDATA ?? join(home, "AppData", "Roaming");
  return join(home, ".config");
}
