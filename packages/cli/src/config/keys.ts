/** A key of the config file. */
export interface Key {
  readonly summary: string;
  /** Why a value is invalid; undefined if it is valid. */
  readonly validate?: (text: string) => string | undefined;
}

const OUTPUTS = ["table", "wide", "json", "yaml", "csv", "id", "tree"] as const;

export const KEYS = {
  "platform.api": {
    summary: "API URL.",
    validate: validateUrl,
  },
  "platform.issuer": {
    summary: "Issuer URL. Default: the API URL.",
    validate: validateUrl,
  },
  "platform.audience": {
    summary: "Token audience. Default: the API URL.",
  },
  "platform.ca-cert": {
    summary: "File with PEM certificates of authorities to trust besides those of Node.js.",
  },
  "platform.registry": {
    summary: "Registry hosts, comma-separated. Default: the host of the API.",
  },
  "auth.mode": {
    summary: "How to sign in: browser or headless.",
    validate: oneOf("browser", "headless"),
  },
  "default.group": {
    summary: "Default of --parent: name or UID of a group.",
  },
  "default.identity-provider": {
    summary: "Identity provider to sign in with: UID.",
  },
  "default.org-name": {
    summary: "Organization whose identity provider to sign in with.",
  },
  "default.output": {
    summary: `Output format: ${OUTPUTS.join(", ")}.`,
    validate: oneOf(...OUTPUTS),
  },
  "default.color": {
    summary: "When to use color: auto, always or never.",
    validate: oneOf("auto", "always", "never"),
  },
} as const satisfies Record<string, Key>;

export type ConfigKey = keyof typeof KEYS;

export const CONFIG_KEYS = Object.keys(KEYS) as ConfigKey[];

export function isConfigKey(text: string): text is ConfigKey {
  return Object.hasOwn(KEYS, text);
}

/** Why a value is invalid for a key; undefined if it is valid. */
export function invalidReason(key: ConfigKey, text: string): string | undefined {
  return text === "" ? "must not be empty" : (KEYS[key] as Key).validate?.(text);
}

function validateUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const usable = url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash;
  return usable ? undefined : "must be an http or https URL without a query";
}

function oneOf(...words: string[]): (text: string) => string | undefined {
  return (text) => (words.includes(text) ? undefined : `must be one of ${words.join(", ")}`);
}
