/** Every key of the config file, once. */
export interface Key {
  readonly summary: string;
  /** What is wrong with a value, if anything. */
  readonly problem?: (text: string) => string | undefined;
}

const OUTPUTS = ["table", "wide", "json", "yaml", "csv", "id", "tree"] as const;

export const KEYS = {
  "platform.api": {
    summary: "The address of the server's API.",
    problem: urlProblem,
  },
  "platform.issuer": {
    summary: "The address that issues tokens. Default: that of the API.",
    problem: urlProblem,
  },
  "platform.audience": {
    summary: "Whom tokens are meant for. Default: the address of the API.",
  },
  "platform.registry": {
    summary: "The host of the registry. Default: the host of the API.",
  },
  "auth.mode": {
    summary: "How to log in: browser or headless.",
    problem: oneOf("browser", "headless"),
  },
  "default.group": {
    summary: "The group that --parent is when it is not given: a name or uid.",
  },
  "default.identity-provider": {
    summary: "The identity provider to log in with: its uid.",
  },
  "default.org-name": {
    summary: "The organization whose identity provider to log in with.",
  },
  "default.output": {
    summary: `How to print: ${OUTPUTS.join(", ")}.`,
    problem: oneOf(...OUTPUTS),
  },
  "default.color": {
    summary: "Whether to color: auto, always or never.",
    problem: oneOf("auto", "always", "never"),
  },
} as const satisfies Record<string, Key>;

export type ConfigKey = keyof typeof KEYS;

export const CONFIG_KEYS = Object.keys(KEYS) as ConfigKey[];

export function isConfigKey(text: string): text is ConfigKey {
  return Object.hasOwn(KEYS, text);
}

/** What is wrong with a value for a key, if anything. */
export function problemOf(key: ConfigKey, text: string): string | undefined {
  return text === "" ? "must not be empty" : (KEYS[key] as Key).problem?.(text);
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text);
  const usable = url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash;
  return usable ? undefined : "must be an http or https URL without a query";
}

function oneOf(...words: string[]): (text: string) => string | undefined {
  return (text) => (words.includes(text) ? undefined : `must be one of ${words.join(", ")}`);
}
