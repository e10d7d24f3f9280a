import type { Choice } from "../command/definition.ts";
import { interrupted, usageError } from "../errors.ts";
import { harmless } from "./width.ts";

/** Prompts at a terminal. Without one, they are errors that say what to give instead. */
export interface Prompt {
  /** Throws without a terminal: what is missing, and how to give it. */
  require(missing: string, hint: string): void;
  confirm(question: string): Promise<boolean>;
  select(question: string, choices: readonly Choice[]): Promise<string>;
  text(question: string): Promise<string>;
  /** As `text`, without echo. */
  secret(question: string): Promise<string>;
}

/** Longer lists have a search field. */
const MAX_VISIBLE = 10;

/** Prompts on stderr, so that stdout contains only data. */
export function promptOn(isInteractive: boolean, signal: AbortSignal): Prompt {
  const require = (missing: string, hint: string) => {
    if (!isInteractive) throw usageError(missing, hint);
  };
  const ask = async <T>(
    question: string,
    show: (clack: typeof import("@clack/prompts")) => Promise<T | symbol>,
  ): Promise<T> => {
    require(`there is no terminal for a prompt: ${question}`, "give it on the command line");
    const clack = await import("@clack/prompts");
    const answer = await show(clack);
    if (clack.isCancel(answer)) throw interrupted();
    return answer as T;
  };
  const common = { output: process.stderr, signal };
  return {
    require,
    confirm: (message) =>
      ask<boolean>(message, (clack) => clack.confirm({ ...common, message, initialValue: false })),
    select: (message, choices) => {
      if (choices.length === 0) throw usageError(`${message}: nothing to choose from`);
      const options = choices.map(({ value, label, hint }) => ({
        value,
        label: harmless(label ?? value),
        ...(hint === undefined ? {} : { hint: harmless(hint) }),
      }));
      const shown = { ...common, message, options, maxItems: MAX_VISIBLE };
      return ask<string>(message, (clack) =>
        choices.length > MAX_VISIBLE ? clack.autocomplete(shown) : clack.select(shown),
      );
    },
    text: (message) =>
      ask<string>(message, (clack) => clack.text({ ...common, message, validate: isGiven })),
    secret: (message) =>
      ask<string>(message, (clack) => clack.password({ ...common, message, validate: isGiven })),
  };
}

function isGiven(text: string | undefined): string | undefined {
  return text ? undefined : "a value is required";
}
