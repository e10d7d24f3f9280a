import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { databaseUrlProblem, parseDatabaseUrl, shownHost } from "./database-url.ts";

function hostsOf(url: string): (readonly [string, number | undefined])[] {
  return parseDatabaseUrl(url).hosts.map(({ host, port }) => [host, port]);
}

describe("the database URL", () => {
  const valid: readonly (readonly [
    url: string,
    hosts: (readonly [string, number | undefined])[],
  ])[] = [
    ["postgres://db/wharf", [["db", undefined]]],
    ["postgresql://u:p@db:5433/wharf", [["db", 5433]]],
    ["postgres:///wharf", [["", undefined]]],
    ["postgres://u@[::1]:5433/wharf", [["::1", 5433]]],
    ["postgres://u@%2Fvar%2Frun%2Fpostgresql/wharf", [["/var/run/postgresql", undefined]]],
    ["postgres:///wharf?host=/var/run/postgresql", [["/var/run/postgresql", undefined]]],
    [
      "postgres://u:p@h1:5432,h2:5433,[::1]/wharf?target_session_attrs=read-write",
      [
        ["h1", 5432],
        ["h2", 5433],
        ["::1", undefined],
      ],
    ],
    [
      "postgres://u@/wharf?host=h1,h2&port=6432&target_session_attrs=primary",
      [
        ["h1", 6432],
        ["h2", 6432],
      ],
    ],
    [
      "postgres://u@/wharf?host=h1,h2&port=1,2",
      [
        ["h1", 1],
        ["h2", 2],
      ],
    ],
  ];
  for (const [url, hosts] of valid) {
    test(`${url} has its hosts`, () => {
      assert.equal(databaseUrlProblem(url), undefined);
      assert.deepEqual(hostsOf(url), hosts);
    });
  }

  test("each host has a URL of its own, with all parameters of the driver", () => {
    const url = "postgres://u:p%2Fw@h1,h2:5433/wharf?sslmode=verify-full&connect_timeout=2";
    const parsed = parseDatabaseUrl(url);
    assert.deepEqual(
      parsed.hosts.map((host) => host.url),
      [
        "postgres://u:p%2Fw@/wharf?sslmode=verify-full&host=h1",
        "postgres://u:p%2Fw@/wharf?sslmode=verify-full&host=h2&port=5433",
      ],
    );
    assert.equal(parsed.connectTimeoutMs, 2_000);
    assert.deepEqual(parsed.hosts.map(shownHost), ["h1", "h2:5433"]);
  });

  test("the host is verified in each mode that the driver verifies today", () => {
    const modeOf = (query: string) => {
      const [host] = parseDatabaseUrl(`postgres://h/d?${query}`).hosts;
      return new URL(host?.url.replace("://", "://h") ?? "").searchParams.get("sslmode");
    };
    for (const mode of ["prefer", "require", "verify-ca", "verify-full"])
      assert.equal(modeOf(`sslmode=${mode}`), "verify-full", mode);
    for (const mode of ["disable", "no-verify"]) assert.equal(modeOf(`sslmode=${mode}`), mode);
    assert.equal(modeOf("uselibpqcompat=true&sslmode=require"), "require");
    assert.equal(modeOf("connect_timeout=1"), null);
  });

  test("a connect timeout of 0 is the default", () => {
    assert.equal(parseDatabaseUrl("postgres://h/d?connect_timeout=0").connectTimeoutMs, undefined);
  });

  const invalid: readonly (readonly [url: string, problem: RegExp])[] = [
    ["mysql://u:hunter2@h/d", /^must begin with postgres:/],
    ["postgres://u:hunter2@h:0/d", /^has an invalid port: must be 1 to 65535$/],
    ["postgres://u:hunter2@h:70000/d", /^has an invalid port/],
    ["postgres://u:hunter2@h1,,h2/d", /^has an empty host/],
    ["postgres://u:hunter2@/d?host=h1,h2,h3&port=1,2", /^has 3 hosts and 2 ports/],
    ["postgres://u:hunter2@h/d?target_session_attrs=any", /must be read-write or primary/],
    ["postgres://u:hunter2@h/d?target_session_attrs=prefer-standby", /outdated access decisions$/],
    ["postgres://u:hunter2@h/d?connect_timeout=soon", /^has an invalid connect_timeout: .*60/],
    ["postgres://u:hunter2@h/d?connect_timeout=61", /^has an invalid connect_timeout/],
    ["postgres://u:hunter2@h/d?statement_timeout=-1", /^has an invalid statement_timeout/],
    ["postgres://u:hunter2@h/d?sslmode=verify", /^has an unsupported sslmode: must be one of/],
    // Passwords with special characters that are not encoded.
    ["postgres://u:hunter2/x@h/d", /percent-encode/],
    ["postgres://u:123/hunter2@h/d", /percent-encode/],
    ["postgres://u:123?hunter2@h/d", /percent-encode/],
    ["postgres://u:123#hunter2@h/d", /percent-encode/],
    ["postgres://u:hunter2@h%zz/d", /percent-encoding/],
  ];
  for (const [url, problem] of invalid) {
    test(`${url} is rejected without its password`, () => {
      const found = databaseUrlProblem(url) ?? "";
      assert.match(found, problem);
      assert.doesNotMatch(found, /hunter2|123/);
    });
  }
});
