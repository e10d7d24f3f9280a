import { ConfigError } from "@wharf/server/config/settings.ts";

/** The words of a raw command, split into its own options and settings of the server. */
export interface Words {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly settings: readonly string[];
}

/** Options of a command besides the settings of the server. */
export interface OwnOptions {
  readonly flags?: readonly string[];
  readonly values?: readonly string[];
}

const SHORT: Readonly<Record<string, string>> = { "-y": "--yes", "-o": "--output" };

/** Separates the options of a command from the settings of the server. */
export function splitWords(words: readonly string[], own: OwnOptions): Words {
  const flags = new Set<string>();
  const values = new Map<string, string>();
  const settings: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const [option, inline] = splitAt(SHORT[word] ?? word);
    const name = option.startsWith("--") ? option.slice(2) : "";
    if (own.flags?.includes(name)) {
      if (inline !== undefined) throw new ConfigError(`--${name} takes no value`);
      flags.add(name);
    } else if (own.values?.includes(name)) {
      const value = inline ?? words[++at];
      if (value === undefined) throw new ConfigError(`--${name} needs a value`);
      values.set(name, value);
    } else {
      settings.push(word);
      // The next word is the value of the setting, even if it looks like an option.
      if (word.startsWith("--") && inline === undefined && at + 1 < words.length)
        settings.push(words[++at] as string);
    }
  }
  return { flags, values, settings };
}

function splitAt(word: string): [option: string, inline: string | undefined] {
  const at = word.indexOf("=");
  return at < 0 || !word.startsWith("--")
    ? [word, undefined]
    : [word.slice(0, at), word.slice(at + 1)];
}
