import assert from "node:assert/strict";
import { test } from "node:test";
import { Logger, type LogLevel } from "./logger.ts";

function written(level: LogLevel, work: (log: Logger) => void): Record<string, unknown>[] {
  let text = "";
  work(
    new Logger(level, (line) => {
      text += line;
    }),
  );
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

test("a line has its level, its time, its fields and its message", () => {
  const [line] = written("info", (log) => log.warn({ host: "a\nb", tries: 3 }, "not read"));
  const { time, ...others } = line ?? {};
  assert.deepEqual(others, { level: "warn", host: "a\nb", tries: 3, msg: "not read" });
  assert.equal(new Date(time as string).toISOString(), time);
});

test("lines below the level are not written", () => {
  const all = (log: Logger) => {
    log.info({}, "info");
    log.warn({}, "warn");
    log.error({}, "error");
  };
  const messages = (level: LogLevel) => written(level, all).map(({ msg }) => msg);
  assert.deepEqual(messages("trace"), ["info", "warn", "error"]);
  assert.deepEqual(messages("warn"), ["warn", "error"]);
  assert.deepEqual(messages("silent"), []);
});

test("errors are logged with their stacks and causes, in any field", () => {
  const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const [line] = written("info", (log) =>
    log.error({ err: new TypeError("no", { cause }), cause }, "failed"),
  );
  const { err, cause: logged } = line as Record<string, Record<string, unknown>>;
  assert.equal(err?.type, "TypeError");
  assert.equal(err?.message, "no");
  assert.match(err?.stack as string, /^TypeError: no\n/);
  assert.deepEqual(err?.cause, logged);
  assert.equal(logged?.code, "ECONNREFUSED");
});

test("a field that JSON cannot represent does not prevent the log line", () => {
  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  const lines = written("info", (log) => {
    log.info({ circle }, "round");
    log.info({ size: 1n }, "big");
  });
  assert.deepEqual(
    lines.map(({ msg, omitted }) => [msg, omitted]),
    [
      ["round", ["circle", "msg"]],
      ["big", ["size", "msg"]],
    ],
  );
});
