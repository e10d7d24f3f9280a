import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createWharf } from "@wharf/client";
import { builtinRole } from "@wharf/contract";
import { StandInIssuer } from "../../server/test/support/providers/issuer.ts";
import { TestServer } from "../../server/test/support/server/test-server.ts";
import { StandInGithub } from "./support/github.ts";

const PACKAGE = join(import.meta.dirname, "..");
const ROOT = join(PACKAGE, "../..");
const SUBJECT = "repo:acme/app:ref:refs/heads/main";

const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code as string);

/** The client of the first example, for those that go on with it. */
const client = /^import.*?^\}\);$/ms.exec(examples[0] as string)?.[0] as string;

let server: TestServer;
let issuer: StandInIssuer;
let github: StandInGithub;
let variables: Record<string, string>;
/** Below node_modules, where the packages are found and no check looks. */
let folder: string;
let printed: string[][];
before(async () => {
  folder = mkdtempSync(join(ROOT, "node_modules", ".readme-"));
  server = await TestServer.start();
  issuer = await StandInIssuer.start();
  github = await StandInGithub.start(issuer, { sub: SUBJECT });
  variables = {
    WHARF_URL: server.url,
    WHARF_TOKEN: await server.token(),
    WHARF_IDENTITY: await jobIdentity(),
    JOB_TOKEN: await issuer.sign({ sub: SUBJECT }),
    ...github.variables,
  };
  printed = await run();
});
after(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
  await issuer.stop();
  await github.stop();
});

/** An identity that trusts our stand-in for GitHub, in an organization that the examples do not see. */
async function jobIdentity(): Promise<string> {
  const wharf = createWharf({ baseUrl: server.url, token: await server.token() });
  const parent = (await wharf.groups.create({ group: { name: "zz jobs" } })).uid;
  const iss = { case: "issuer", value: issuer.url } as const;
  const sub = { case: "subject", value: SUBJECT } as const;
  const relationship = { case: "claimMatch", value: { iss, sub } } as const;
  const { uid } = await wharf.identities.create({
    parent,
    identity: { name: "job", relationship },
  });
  const roleUid = builtinRole("viewer")?.uid as string;
  await wharf.roleBindings.create({ parent, roleBinding: { identityUid: uid, roleUid } });
  return uid;
}

/** An example as a program of its own. */
function programOf(code: string): string {
  return code.includes("const wharf =") ? code : `${client}\n${code}`;
}

/** The separator between the outputs of two examples; none prints it. */
const END = "=== end of example ===";

/** Runs the examples one after the other, in one process: loading the client takes longer than they do. */
async function run(): Promise<string[][]> {
  for (const [at, code] of examples.entries()) {
    writeFileSync(join(folder, `example-${at}.mjs`), stripTypeScriptTypes(programOf(code)));
  }
  const all = `for (let at = 0; at < ${examples.length}; at++) {
    await import(\`./example-\${at}.mjs\`).catch(console.log);
    console.log("${END}");
  }
  process.exit();`;
  writeFileSync(join(folder, "all.mjs"), all);
  const env = { ...process.env, ...variables, NO_COLOR: "1" };
  const main = [join(folder, "all.mjs")];
  const { stdout } = await promisify(execFile)(process.execPath, main, { cwd: PACKAGE, env });
  const outputs = stdout.split(`${END}\n`);
  return outputs.map((output) => output.split("\n").filter((line) => line !== ""));
}

const headings = readme.split(/^```ts$/m).map((text) => /.*^## (.+?)$/ms.exec(text)?.[1]);

test("the README has examples, and their types are right", async () => {
  assert.ok(examples.length >= 10);
  for (const [at, code] of examples.entries()) {
    writeFileSync(join(folder, `example-${at + 1}.ts`), programOf(code));
  }
  const config = { extends: join(ROOT, "tsconfig.json"), include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules", ".bin", "tsc");
  const result = await promisify(execFile)(tsc, ["-p", folder, "--singleThreaded"]).catch(
    (failed) => failed,
  );
  assert.equal(result.stdout, "");
});

for (const [at, code] of examples.entries()) {
  test(`example ${at + 1}, ${headings[at] ?? "further on"}: prints what it says`, () => {
    const expected = [...code.matchAll(/\/\/ prints: (.+)$/gm)].map(([, line]) => line);
    assert.ok(expected.length > 0);
    assert.deepEqual(printed[at], expected);
  });
}
