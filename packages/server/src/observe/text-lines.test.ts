import assert from "node:assert/strict";
import { test } from "node:test";
import { Logger } from "./logger.ts";
import { textLine, textLines } from "./text-lines.ts";

test("lines of the log are readable as text, and none is lost", () => {
  const written: string[] = [];
  const output = textLines({ write: (lines) => written.push(lines), flushSync() {} });
  const log = new Logger("info", (line) => output.write(line), 2);
  log.info({ url: "http://127.0.0.1:8080", note: "two words" }, "ready");
  assert.match(
    written[0] ?? "",
    /^\d\d:\d\d:\d\d\.\d{3} INFO {2}ready {2}worker=2 {2}url=http:\/\/127\.0\.0\.1:8080 {2}note="two words"\n$/,
  );
  log.error({ err: new Error("no\nspace") }, "backup failed");
  assert.match(written[1] ?? "", /ERROR backup failed {2}worker=2 {2}\n {4}Error: no\n {4}space\n/);
  output.write("plain text\nof another program\n");
  assert.equal(written[2], "plain text\nof another program\n");
});

test("a request is shown by its method, outcome and duration", () => {
  const line = `{"level":"info","time":"2026-11-16T12:00:00.123Z","protocol":"rest","method":"a.B/C","code":5,"requestId":"r","ms":1.25}`;
  assert.equal(
    textLine(line),
    "12:00:00.123 INFO  a.B/C code 5  1.25 ms  protocol=rest  requestId=r",
  );
});
