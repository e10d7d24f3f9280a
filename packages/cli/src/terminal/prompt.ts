import type { Choice } from "../command/definition.ts";
import { interrupted, usageError } from "../errors.ts";
import { harmless } from "./width.ts";

/** Questions to people at a terminal. Everyone else gets an error that says what to give instead. */
export interface Prompt {
  /** Refuses when nobody can be asked: what is missing, and how to give it. */
  require(missing: string, hint: string): void;
  confirm(question: string): Promise<boolean>;
  select(question: string, choices: readonly Choice[]): Promise<string>;
  text(question: string): Promise<string>;
  /** As `text`, without showing what is typed. */
  secret(question: string): Promise<string>;
}

/** Longer lists are searched rather than walked through. */
const WALKABLE = 10;

/** Prompts on stderr, so that stdout has data alone. */
export function promptOn(isInteractive: boolean, signal: AbortSignal): Prompt {
  const require = (missing: string, hint: string) => {
    if (!isInteractive) throw usageError(missing, hint);
  };
  const asked = async <T>(
    question: string,
    show: (clack: typeof import("@clack/prompts")) => Promise<T | symbol>,
  ): Promise<T> => {
    require(`there is no terminal to ask at: ${question}`, "give it on the command line");
    const clack = await import("@clack/prompts");
    const answer = await show(clack);
    if (clack.isCancel(answer)) throw interrupted();
    return answer as T;
  };
  const common = { output: process.stderr, signal };
  return {
    require,
    confirm: (message) =>
      asked<boolean>(message, (clack) =>
        clack.confirm({ ...common, message, initialValue: false }),
      ),
    select: (message, choices) => {
      if (choices.length === 0) throw usageError(`${message}: there is nothing to pick from`);
      const options = choices.map(({ value, label, hint }) => ({
        value,
        label: harmless(label ?? value),
        ...(hint === undefined ? {} : { hint: harmless(hint) }),
      }));
      const shown = { ...common, message, options, maxItems: WALKABLE };
      return asked<string>(message, (clack) =>
        choices.length > WALKABLE ? clack.autocomplete(shown) : clack.select(shown),
      );
    },
    text: (message) =>
      asked<string>(message, (clack) => clack.text({ ...common, message, validate: isGiven })),
    secret: (message) =>
      asked<string>(message, (clack) => clack.password({ ...common, message, validate: isGiven })),
  };
}

function isGiven(text: string | undefined): string | undefined {
  return text ? undefined : "please type something";
}
