import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../settings.ts";

/** The folder of docker's config. With sudo, that of whoever ran it: root's would help nobody. */
export function dockerFolder(environment: Environment): string {
  if (environment.DOCKER_CONFIG) return environment.DOCKER_CONFIG;
  return join(userHome(environment), ".docker");
}

/** The home of whoever typed the command. */
export function userHome(
  environment: Environment,
  uid = process.getuid?.(),
  passwd = "/etc/passwd",
): string {
  const { SUDO_USER: user } = environment;
  const own = homedir();
  if (uid !== 0 || !user || user === "root") return own;
  return homeOf(user, passwd) ?? own;
}

function homeOf(user: string, passwd: string): string | undefined {
  const lines = readFileSync(passwd, "utf8").split("\n");
  const entry = lines.map((line) => line.split(":")).find(([name]) => name === user);
  return entry?.[5] || undefined;
}
