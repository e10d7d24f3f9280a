import { spawn } from "node:child_process";
import type { Environment } from "../../settings.ts";

/**
 * The command that opens an address: what BROWSER names (with %s for the address, or without), else
 * what the system has for it. Undefined where there is nothing to see a browser on.
 */
export function browserCommand(
  url: string,
  environment: Environment,
  platform: NodeJS.Platform,
): [program: string, ...args: string[]] | undefined {
  const [first = ""] = (environment.BROWSER ?? "").split(platform === "win32" ? ";" : ":");
  const [program, ...args] = first.split(/\s+/).filter(Boolean);
  if (program !== undefined) {
    const named = args.some((arg) => arg.includes("%s"));
    return [program, ...(named ? args.map((arg) => arg.replace("%s", url)) : [...args, url])];
  }
  if (platform === "darwin") return ["open", url];
  // `start` would read the & of an address as its own.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  const isSeen = environment.DISPLAY || environment.WAYLAND_DISPLAY || environment.WSL_DISTRO_NAME;
  return isSeen ? ["xdg-open", url] : undefined;
}

/** Opens an address in the browser; `failed` is called when that did not work. */
export function openBrowser(url: string, environment: Environment, failed: () => void): void {
  const command = browserCommand(url, environment, process.platform);
  if (command === undefined) {
    failed();
    return;
  }
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.once("error", failed);
  child.once("exit", (code) => code === 0 || failed());
  // The browser outlives the login.
  child.unref();
}
