import type { Options } from "../command/definition.ts";
import { GLOBALS } from "../command/globals.ts";
import type { Run } from "../command/types.ts";
import { failed, usageError } from "../errors.ts";
import type { Column } from "../output/columns.ts";
import type { Environment } from "../settings.ts";
import { type Finding, runChecks } from "./checks.ts";
import type {
  setDefinition,
  unsetDefinition,
  validateDefinition,
  viewDefinition,
} from "./commands.ts";
import { type Config, changeConfig, readKey } from "./file.ts";
import { CONFIG_KEYS, type ConfigKey, invalidReason } from "./keys.ts";

interface Setting {
  readonly key: ConfigKey;
  readonly value: string;
  /** An environment variable, the config file, or `default`. */
  readonly from: string;
}

const SETTING_COLUMNS: readonly Column<Setting>[] = [
  { header: "Key", value: ({ key }) => key },
  { header: "Value", value: ({ value }) => value },
  { header: "From", value: ({ from }) => from },
];

export const view: Run<typeof viewDefinition> = async (context, { diff, ...arrangement }) => {
  const { settings, environment, out } = context;
  const all = CONFIG_KEYS.map((key) => settingOf(key, settings.config, environment));
  const shown = diff ? all.filter(({ from }) => from !== "default") : all;
  await out.list(shown, SETTING_COLUMNS, {
    id: ({ key }) => key,
    what: "settings that differ from the defaults",
    arrangement,
  });
};

function settingOf(key: ConfigKey, config: Config, environment: Environment): Setting {
  const option = Object.values(GLOBALS as Options).find((each) => each.config === key);
  const variable = option?.env === undefined ? undefined : environment[option.env];
  if (variable) return { key, value: variable, from: option?.env as string };
  const configured = config.get(key);
  if (configured !== undefined) return { key, value: configured, from: config.path };
  const fallback = option !== undefined && "default" in option ? option.default : "";
  return { key, value: String(fallback ?? ""), from: "default" };
}

export const set: Run<typeof setDefinition> = async ({ settings, environment, err }, args) => {
  const key = readKey(args.key);
  const reason = invalidReason(key, args.value);
  if (reason !== undefined) throw usageError(`${key} ${reason}`);
  await changeConfig(settings.config, environment, (config) => config.with(key, args.value));
  err.note(`set ${key} to ${args.value} (${settings.config.path})`);
};

export const unset: Run<typeof unsetDefinition> = async (context, args) => {
  const key = readKey(args.key);
  const { environment, err } = context;
  const { config } = context.settings;
  if (config.get(key) === undefined) return err.note(`${key} is not set in ${config.path}`);
  await changeConfig(config, environment, (current) => current.with(key, undefined));
  err.note(`reset ${key} to its default (${config.path})`);
};

const MARKS = { passed: "✓", failed: "✗", skipped: "–" } as const;

const FINDING_COLUMNS: readonly Column<Finding>[] = [
  { header: "Check", value: ({ check }) => check },
  { header: "Result", value: ({ result }) => result },
  { header: "Detail", value: ({ detail }) => detail },
  { header: "Next", value: ({ next }) => next },
];

export const validate: Run<typeof validateDefinition> = async (context) => {
  const { out, settings, signal, terminal, progress } = context;
  const findings = await progress("checking the connection", () => runChecks(settings, signal));
  if (out.format === "table" || out.format === "wide") {
    const { green, red, dim } = terminal.style;
    const color = { passed: green, failed: red, skipped: dim };
    for (const { check, result, detail, next } of findings) {
      out.text(`${color[result](MARKS[result])} ${check}: ${detail}`);
      if (next !== undefined) out.text(`    → ${next}`);
    }
  } else {
    await out.list(findings, FINDING_COLUMNS, { id: ({ check }) => check });
  }
  const failures = findings.filter(({ result }) => result === "failed");
  if (failures.length > 0) {
    throw failed(`${failures.map(({ check }) => check).join(", ")} failed`, failures[0]?.next);
  }
};
