import type { Transport, Wharf } from "@wharf/client";
import { tokenSource } from "./auth/source.ts";
import { failed } from "./errors.ts";
import type { Jq } from "./output/jq.ts";
import { type Output, outputTo } from "./output/output.ts";
import { keepingSchemas } from "./output/schemas.ts";
import { type Progress, progressOn } from "./progress.ts";
import type { Environment, Settings } from "./settings.ts";
import { type Prompt, promptOn } from "./terminal/prompt.ts";
import { type Messages, messagesTo, type Terminal, terminalOf } from "./terminal/terminal.ts";
import { version } from "./version.ts";

/** The environment of a command: its settings, outputs and clients. */
export interface Context {
  readonly settings: Settings;
  readonly environment: Environment;
  /** Data, on stdout. */
  readonly out: Output;
  /** Everything else, on stderr. */
  readonly err: Messages;
  readonly terminal: Terminal;
  readonly prompt: Prompt;
  readonly progress: Progress;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The API client of the caller, created on first use. */
  client(): Promise<Wharf>;
  /** Asks for confirmation without `-y`. */
  confirm(question: string): Promise<void>;
}

export interface ContextOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** The hint without a terminal. */
export const NEEDS_YES = "-y skips the confirmation";

export async function makeContext(options: ContextOptions): Promise<Context> {
  const { settings, environment, signal } = options;
  const { quiet, verbose, yes, dryRun } = settings;
  const terminal = terminalOf(process, environment, settings.color);
  const progress = progressOn(process.stderr, terminal.showsRemarks && !quiet);
  const err = messagesTo({
    quiet,
    verbose,
    dryRun,
    style: terminal.remarkStyle,
    write(text) {
      progress.clear();
      process.stderr.write(text);
    },
  });
  const prompt = promptOn(terminal.isInteractive, signal);
  const write = (text: string) => {
    progress.clear();
    process.stdout.write(text);
  };
  let client: Promise<Wharf> | undefined;
  return {
    settings,
    environment,
    terminal,
    prompt,
    progress,
    err,
    signal,
    out: outputTo({
      format: settings.output,
      jq: await jqOf(settings.jq, terminal.isTTY, err.warn),
      terminal,
      write,
      async show(text) {
        const pager = settings.pager ? await pagerFor(text, terminal, environment) : undefined;
        const isShown = await (pager && progress.paused(pager));
        if (!isShown) write(text);
      },
      note: err.note,
    }),
    client() {
      client ??= connectTo(settings, environment, err);
      return client;
    },
    async confirm(question) {
      if (yes || dryRun) return;
      prompt.require(`${question} There is no terminal for a confirmation`, NEEDS_YES);
      if (!(await prompt.confirm(question))) throw failed("canceled");
    },
  };
}

async function connectTo(
  settings: Settings,
  environment: Environment,
  err: Messages,
): Promise<Wharf> {
  const [{ createWharf }, { httpTransport }] = await Promise.all([
    import("@wharf/client/wharf"),
    import("@wharf/client/node/http"),
  ]);
  return createWharf({
    // Loading fetch takes longer than a command with one request.
    transport: keepingSchemas(settings.dryRun ? trying(httpTransport()) : httpTransport()),
    baseUrl: settings.api,
    authUrl: settings.issuer,
    token: tokenSource(settings, environment, err),
    userAgent: `wharf/${version()}`,
    onRequest: ({ method, url, status, ms }) => {
      err.detail(
        `${method} ${url} → ${status} in ${ms.toFixed(0)} ms (Authorization: Bearer ****)`,
      );
    },
  });
}

/** Makes every request a dry run. */
function trying({ send }: Transport): Transport {
  return {
    send(attempt, sent) {
      return send({ ...attempt, headers: { ...attempt.headers, ...DRY_RUN_HEADERS } }, sent);
    },
  };
}

export const DRY_RUN_HEADERS = { "wharf-dry-run": "true" } as const;

/** Loads jq on demand: it is large. */
async function jqOf(
  expression: string | undefined,
  indented: boolean,
  warn: Messages["warn"],
): Promise<Jq | undefined> {
  if (expression === undefined) return undefined;
  const { compileJq } = await import("./output/jq.ts");
  return compileJq(expression, indented, warn);
}

/** Shows a text that is longer than the screen of a person with a pager; undefined for others. */
async function pagerFor(
  text: string,
  { isTTY, isInteractive, width, height }: Terminal,
  environment: Environment,
): Promise<(() => Promise<boolean>) | undefined> {
  if (!isTTY || !isInteractive || width === undefined || height === undefined) return undefined;
  const { exceeds, pagerOf, showInPager } = await import("./terminal/pager.ts");
  const command = pagerOf(environment);
  if (command === undefined || !exceeds(text, { width, height })) return undefined;
  return () => showInPager(command, text, environment);
}
