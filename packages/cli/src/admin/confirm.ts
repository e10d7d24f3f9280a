import { NEEDS_YES } from "../context.ts";
import { failed } from "../errors.ts";
import { promptOn } from "../terminal/prompt.ts";
import { terminalOf } from "../terminal/terminal.ts";

/**
 * Asks before an admin command does what cannot be undone; without a terminal it must be given `-y`.
 *
 * @example await confirm("Reject every token signed so far?");
 */
export async function confirm(question: string): Promise<void> {
  const { isInteractive } = terminalOf(process, process.env, "auto");
  const prompt = promptOn(isInteractive, new AbortController().signal);
  prompt.require(`${question} There is no terminal to ask at`, NEEDS_YES);
  if (!(await prompt.confirm(question))) throw failed("nothing was done");
}
