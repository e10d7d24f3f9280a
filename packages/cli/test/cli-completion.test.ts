import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { cleanEnvironment, LAUNCHER, wharf } from "./support/command.ts";
import { FaultProxy, type Verdict } from "./support/fault-proxy.ts";
import { Site } from "./support/site.ts";
import { TestTerminal } from "./support/terminal.ts";

describe("completion", () => {
  let site: Site;
  let env: Record<string, string>;
  before(async () => {
    site = await Site.start();
    await site.make("organizations", "acme");
    await site.make("organizations", "two words");
    // As an install has it: a command named wharf, and the Node.js that runs it.
    const bin = mkdtempSync(join(tmpdir(), "wharf-bin-"));
    symlinkSync(LAUNCHER, join(bin, "wharf"));
    const path = `${bin}:${dirname(process.execPath)}:${process.env.PATH}`;
    env = { ...site.env, PATH: path, WHARF_COMPLETION_SECONDS: "60" };
  });
  after(() => site.stop());

  const answer = async (...words: string[]) =>
    (await wharf(["__complete", "--", ...words], { env })).stdout.split("\n").filter(Boolean);
  const names = async (...words: string[]) =>
    (await answer(...words)).map((line) => line.split("\t")[0]);

  test("completes commands, options, choices and names, or nothing", async () => {
    assert.deepEqual(await names("iam", "org"), ["organizations"]);
    assert.deepEqual(await names("iam", "orgs", "l"), ["list"]);
    assert.deepEqual(await answer("iam", "folders", "list", "--rec"), [
      "--recursive\tInclude nested folders",
    ]);
    assert.deepEqual(await names("iam", "orgs", "list", "-o", "j"), ["json"]);
    assert.deepEqual(await names("iam", "orgs", "list", "--output=c"), ["--output=csv"]);
    assert.deepEqual(await names("iam", "orgs", "describe", ""), ["acme", "two words"]);
    assert.deepEqual(await names("iam", "folders", "create", "x", "--parent", "ac"), ["acme"]);
    assert.deepEqual(await names("help", "iam", "fo"), ["folders"]);
    assert.deepEqual(await names("config", "set", "platform.a"), [
      "platform.api",
      "platform.audience",
    ]);
    assert.deepEqual(await names("serve", "--config", ""), [":files"]);
    assert.deepEqual(await names("iam", "nonsense", ""), []);
    assert.deepEqual(await names("iam", "orgs", "describe", "acme", ""), []);
  });

  test("is silent when the server does not answer", async () => {
    const words = ["__complete", "--", "iam", "orgs", "describe", ""];
    const nowhere = { ...env, WHARF_API: "http://127.0.0.1:9" };
    const nothing = { code: 0, stdout: "", stderr: "" };
    assert.deepEqual(await wharf(words, { env: nowhere }), nothing);
    const { promise: never } = Promise.withResolvers<Verdict>();
    await using silent = await FaultProxy.before(site, () => never);
    const hasty = { ...env, WHARF_API: silent.url, WHARF_COMPLETION_SECONDS: "0.2" };
    assert.deepEqual(await wharf(words, { env: hasty }), nothing);
  });

  /** The first command has been typed; then options and names, each on a cleared line. */
  async function completes(terminal: TestTerminal): Promise<void> {
    await terminal.until(/wharf iam folders /);
    terminal.type("\u0015wharf iam orgs list --output=cs\t");
    await terminal.until(/--output=csv/);
    terminal.type("\u0015wharf iam orgs describe two\t");
    await terminal.until(/describe two\\ words/);
    terminal.kill();
  }

  test("works in bash", async () => {
    const terminal = new TestTerminal("bash --norc --noprofile -i", { env });
    terminal.type("PS1='$ '; source <(wharf completion bash); echo lo''aded\n");
    await terminal.until(/loaded/);
    terminal.type("echo wharf; wharf iam fol\t");
    await completes(terminal);
  });

  test("works in zsh", async () => {
    const terminal = new TestTerminal("zsh -f -i", { env });
    terminal.type("PS1='> '; autoload -U compinit && compinit -u -D\n");
    terminal.type("source <(wharf completion zsh); echo lo''aded\n");
    await terminal.until(/loaded/);
    terminal.type("wharf iam fol\t");
    await completes(terminal);
  });

  test("works in fish", async () => {
    const ask = async (line: string) => {
      const script = `wharf completion fish | source; complete -C '${line}'`;
      const shell = { env: cleanEnvironment(env) };
      const { stdout } = await promisify(execFile)("fish", ["--no-config", "-c", script], shell);
      return stdout.split("\n").filter(Boolean);
    };
    assert.deepEqual(await ask("wharf iam fol"), [
      "folders\tManage folders (groups below organizations)",
    ]);
    assert.deepEqual(await ask("wharf iam orgs list --output=cs"), ["--output=csv"]);
    assert.deepEqual(await ask("wharf iam orgs describe two"), ["two words"]);
  });
});
