import { failed } from "../errors.ts";
import { type Prompt, promptOn } from "../terminal/prompt.ts";
import { terminalOf } from "../terminal/terminal.ts";

function promptAt(missing: string, hint: string): Prompt {
  const { isInteractive } = terminalOf(process, process.env, "auto");
  const prompt = promptOn(isInteractive, new AbortController().signal);
  prompt.require(missing, hint);
  return prompt;
}

/** Asks for a new passphrase, twice. Without a terminal, the error says what is missing. */
export async function newPassphrase(missing: string, hint: string): Promise<string> {
  const prompt = promptAt(missing, hint);
  const { passphraseProblem } = await import("@wharf/server/app/backup/backup-lock.ts");
  const passphrase = await prompt.secret("Passphrase for the backup");
  const problem = passphraseProblem(passphrase);
  if (problem !== undefined) throw failed(problem);
  if ((await prompt.secret("Again")) !== passphrase) throw failed("the passphrases differ");
  return passphrase;
}

export function passphraseOf(missing: string, hint: string): Promise<string> {
  return promptAt(missing, hint).secret("Passphrase of the backup");
}
