import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { flagOf, SETTINGS, variableOf } from "./schema.ts";
import { ConfigError, readSettings } from "./settings.ts";

const directory = mkdtempSync(join(tmpdir(), "wharf-config-"));
after(() => rmSync(directory, { recursive: true }));

function file(content: string): string {
  const path = join(directory, `${Math.random()}.yaml`);
  writeFileSync(path, content);
  return path;
}

describe("settings", () => {
  test("flags take precedence over variables, variables over the file, the file over defaults", async () => {
    const path = file("logLevel: warn\nerrorDomain: from.file\nrootGroups: operator\n");
    const environment = { WHARF_LOG_LEVEL: "error", WHARF_ERROR_DOMAIN: "from.variable" };
    const settings = await readSettings(["--config", path, "--log-level", "debug"], environment);
    assert.equal(settings.logLevel, "debug");
    assert.equal(settings.errorDomain, "from.variable");
    assert.equal(settings.rootGroups, "operator");
    assert.deepEqual(settings.listen, { host: "127.0.0.1", port: 8080 });
  });

  test("flags can be joined to their values", async () => {
    assert.equal((await readSettings(["--error-domain=a=b"], {})).errorDomain, "a=b");
  });

  test("an IPv6 address is written in brackets", async () => {
    const { listen } = await readSettings(["--listen", "[::1]:9000"], {});
    assert.deepEqual(listen, { host: "::1", port: 9000 });
  });

  test("proxies are addresses or ranges, and none unless they are given", async () => {
    assert.deepEqual((await readSettings([], {})).trustedProxies, []);
    const path = file("trustedProxies: [10.0.0.0/8, '::1']\n");
    assert.deepEqual((await readSettings(["--config", path], {})).trustedProxies, [
      { address: "10.0.0.0", family: "ipv4", prefix: 8 },
      { address: "::1", family: "ipv6", prefix: 128 },
    ]);
    const environment = { WHARF_TRUSTED_PROXIES: " 10.0.0.7 , " };
    assert.deepEqual((await readSettings([], environment)).trustedProxies, [
      { address: "10.0.0.7", family: "ipv4", prefix: 32 },
    ]);
  });

  const refused: readonly (readonly [args: string[], why: RegExp])[] = [
    [["--nonsense", "1"], /unknown option --nonsense/],
    [["--listen"], /--listen needs a value/],
    [["--listen", "8080"], /--listen must be HOST:PORT/],
    [["--listen", "localhost:99999"], /--listen must be HOST:PORT/],
    [["--database-url", "mysql://x"], /--database-url must begin with/],
    [["--base-url", "ftp://x"], /--base-url must be an http/],
    [["--log-level", "loud"], /--log-level must be one of/],
    [["--root-groups", "me"], /--root-groups must be one of anyone, operator/],
    [["--aws-sts-endpoint", ""], /--aws-sts-endpoint must not be empty/],
    [["--azure-login-endpoint", "login"], /--azure-login-endpoint must be an http/],
    [["--aws-role", "a role"], /--aws-role must be the name of a role/],
    [["--google-pool", "a/b/c"], /--google-pool must have 4 to 32/],
    [["--registry-urls", "registry.example.com"], /--registry-urls must be HOST=URL/],
    [["--registry-urls", "a=http://a,b=ftp://b"], /--registry-urls must be HOST=URL/],
    [["--reconcile-minutes", "often"], /--reconcile-minutes must be a number/],
    [["--trusted-proxies", "10.0.0.0/8,proxy"], /--trusted-proxies must be addresses.*got "proxy"/],
    [["--trusted-proxies", "10.0.0.0/33"], /; got "10.0.0.0\/33"$/],
    [
      ["--trusted-proxies", "::1,::/0"],
      /--trusted-proxies must not include every address, as "::\/0"/,
    ],
    [["--workers", "0"], /--workers must be a number from 1 to 64/],
    [["--workers", "65"], /--workers must be a number from 1 to 64/],
    [["--tls-cert", "x.pem"], /must be given together/],
    [["--config", "/nowhere/at/all"], /cannot be read/],
    [["--v1-deprecation", "soon"], /--v1-deprecation must be a date/],
    [["--v1-deprecation", "2027-02-31"], /--v1-deprecation must be a date/],
    [["--v1-deprecation", "2027-01-01T25:00:00Z"], /--v1-deprecation must be a date/],
    [["--v1-sunset", "2027-01-01"], /--v1-sunset must be later than --v1-deprecation/],
    [["--v1-deprecation", "2027-01-01", "--v1-sunset", "2027-01-01"], /must be later/],
    [["--v1-guide", "docs.md"], /--v1-guide must be an http or https URL/],
    [["--v1-guide", "https://a.b/>; rel=next"], /--v1-guide must be/],
    [["--config", file("surprise: 1")], /unknown setting surprise/],
    [["--config", file("- a list")], /must be a YAML mapping of settings by name/],
  ];
  for (const [args, why] of refused) {
    test(`rejects ${args.map((arg) => arg.replace(directory, "")).join(" ")}`, async () => {
      await assert.rejects(readSettings(args, {}), (error: Error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, why);
        return true;
      });
    });
  }

  test("every one of them is in the operations guide", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../../docs/operations.md"), "utf8");
    for (const name of Object.keys(SETTINGS)) {
      assert.ok(guide.includes(flagOf(name)), flagOf(name));
      assert.ok(guide.includes(variableOf(name)), variableOf(name));
    }
  });
});
