import { NEEDS_YES } from "../context.ts";
import { failed } from "../errors.ts";
import { promptOn } from "../terminal/prompt.ts";
import { terminalOf } from "../terminal/terminal.ts";

/** Asks for confirmation of an irreversible admin command; without a terminal, `-y` is required. */
export async function confirm(question: string): Promise<void> {
  const { isInteractive } = terminalOf(process, process.env, "auto");
  const prompt = promptOn(isInteractive, new AbortController().signal);
  prompt.require(`${question} There is no terminal to ask at`, NEEDS_YES);
  if (!(await prompt.confirm(question))) throw failed("canceled: nothing was changed");
}
