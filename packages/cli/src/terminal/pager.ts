import type { Environment } from "../settings.ts";
import { widthOf } from "./width.ts";

/** The size of a screen. */
export interface Screen {
  readonly width: number;
  readonly height: number;
}

/** Whether a text is longer than the screen, with the line of the next prompt. */
export function exceeds(text: string, { width, height }: Screen): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles take no space.
  const lines = text.replaceAll(/\u001b\[[0-9;]*m/g, "").split("\n");
  let left = height;
  for (const line of lines) {
    left -= Math.max(1, Math.ceil(widthOf(line) / width));
    if (left < 0) return true;
  }
  return false;
}

/** The command that shows long output: WHARF_PAGER, PAGER or less; undefined if one of them is empty or cat. */
export function pagerOf({ WHARF_PAGER, PAGER, TERM }: Environment): string | undefined {
  const command = (WHARF_PAGER ?? PAGER ?? "less").trim();
  return command === "" || command === "cat" || TERM === "dumb" ? undefined : command;
}

/** The exit code of a shell that does not find a command. */
const NOT_FOUND = 127;

/** Shows a text with a pager, until it is closed. Returns whether it could be started. */
export async function showInPager(
  command: string,
  text: string,
  environment: Environment,
): Promise<boolean> {
  const [{ spawn }, { once }] = [
    process.getBuiltinModule("node:child_process"),
    process.getBuiltinModule("node:events"),
  ];
  // For less: end if the text fits on the screen, show colors, and leave the text on the screen.
  const env = { LESS: "FRX", LV: "-c", ...environment } as NodeJS.ProcessEnv;
  // Ctrl-C is the pager's own.
  const interrupts = process.rawListeners("SIGINT") as NodeJS.SignalsListener[];
  const ignore = () => {};
  process.removeAllListeners("SIGINT").on("SIGINT", ignore);
  try {
    const pager = spawn(command, { shell: true, stdio: ["pipe", "inherit", "inherit"], env });
    // It may be closed before it has read everything.
    pager.stdin.on("error", () => {});
    pager.stdin.end(text);
    const [code] = await once(pager, "close");
    return code !== NOT_FOUND;
  } catch {
    return false;
  } finally {
    process.removeListener("SIGINT", ignore);
    for (const listener of interrupts) process.on("SIGINT", listener);
  }
}
