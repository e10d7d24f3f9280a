import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WharfError } from "@wharf/client/json";
import { sentence } from "../texts/sentence.ts";
import { bytesText } from "./bytes.ts";
import { csvOf } from "./csv.ts";
import { entriesOf } from "./entries.ts";
import { sentenceOf } from "./error-text.ts";
import { isWholeNumber } from "./numbers.ts";
import { shellQuoted, shellWord } from "./shell-word.ts";
import { ageText, isoTime } from "./times.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe("ages", () => {
  test("are in the largest unit of the rounded number", () => {
    const ages: readonly (readonly [number, string])[] = [
      [0, "now"],
      [-400, "now"],
      [-SECOND, "1 second ago"],
      [-59 * SECOND, "59 seconds ago"],
      [-59.4 * SECOND, "59 seconds ago"],
      [-59.6 * SECOND, "1 minute ago"],
      [-MINUTE, "1 minute ago"],
      [-91 * SECOND, "2 minutes ago"],
      [-59 * MINUTE, "59 minutes ago"],
      [-59.6 * MINUTE, "1 hour ago"],
      [-23 * HOUR, "23 hours ago"],
      [-23.6 * HOUR, "yesterday"],
      [-DAY, "yesterday"],
      [-29 * DAY, "29 days ago"],
      [-30 * DAY, "last month"],
      [-365 * DAY, "last year"],
      [-800 * DAY, "2 years ago"],
    ];
    for (const [ms, text] of ages) assert.equal(ageText(ms), text, `${ms}`);
  });

  test("of times to come are in the same units", () => {
    assert.equal(ageText(SECOND), "in 1 second");
    assert.equal(ageText(59.6 * MINUTE), "in 1 hour");
    assert.equal(ageText(DAY), "tomorrow");
    assert.equal(ageText(400 * DAY), "next year");
  });

  test("never have a number that is a whole larger unit", () => {
    for (let ms = 0; ms < 3 * DAY; ms += 7321) {
      const text = ageText(-ms);
      assert.ok(!/^(60 seconds|60 minutes|24 hours)/.test(text), `${ms}: ${text}`);
    }
  });
});

describe("times of inputs and URLs", () => {
  test("become ISO 8601 or nothing", () => {
    assert.equal(isoTime("2026-01-02T03:04:05Z"), "2026-01-02T03:04:05.000Z");
    assert.equal(isoTime("2026-01-02"), "2026-01-02T00:00:00.000Z");
    assert.equal(isoTime("2026-01-02T03:04"), new Date(2026, 0, 2, 3, 4).toISOString());
    for (const text of ["", "yesterday", "2026-13-01", "NaN"])
      assert.equal(isoTime(text), undefined);
  });
});

describe("sizes", () => {
  test("have one decimal of the largest unit", () => {
    const sizes: readonly (readonly [number, string])[] = [
      [0, "0 byte"],
      [1, "1 byte"],
      [999, "999 byte"],
      [1000, "1 kB"],
      [1049, "1 kB"],
      [1250, "1.3 kB"],
      [12_345_678, "12.3 MB"],
      [1e9, "1 GB"],
      [2.5e12, "2.5 TB"],
      [7e15, "7,000 TB"],
    ];
    for (const [bytes, text] of sizes) assert.equal(bytesText(bytes), text);
  });

  test("grow with the number of bytes", () => {
    const numberOf = (text: string) => {
      const [number = "", unit = ""] = text.split(" ");
      const power = ["byte", "kB", "MB", "GB", "TB"].indexOf(unit);
      return Number(number.replaceAll(",", "")) * 1000 ** power;
    };
    let last = -1;
    for (let bytes = 1; bytes < 1e14; bytes = Math.ceil(bytes * 1.37)) {
      const shown = numberOf(bytesText(bytes));
      assert.ok(shown >= last, `${bytes}`);
      assert.ok(Math.abs(shown - bytes) <= bytes * 0.06, `${bytes}: ${shown}`);
      last = shown;
    }
  });
});

describe("CSV", () => {
  test("quotes separators, quotes and line ends", () => {
    assert.equal(
      csvOf(
        ["name", "text"],
        [
          ["a,b", 'say "x"'],
          ["two\nlines", "c\rd"],
          ["plain", ""],
        ],
      ),
      'name,text\r\n"a,b","say ""x"""\r\n"two\nlines","c\rd"\r\nplain,\r\n',
    );
  });

  test("keeps spreadsheets from running a cell", () => {
    for (const first of ["=", "+", "-", "@", "\t"]) {
      assert.equal(csvOf(["h"], [[`${first}cmd`]]), `h\r\n'${first}cmd\r\n`, first);
    }
    assert.equal(csvOf(["h"], [['=HYPERLINK("x","y")']]), 'h\r\n"\'=HYPERLINK(""x"",""y"")"\r\n');
    assert.equal(csvOf(["h"], [["\rx"]]), 'h\r\n"\'\rx"\r\n');
    assert.equal(csvOf(["h"], [["a=b"]]), "h\r\na=b\r\n");
  });

  test("has only the header without rows", () => {
    assert.equal(csvOf(["a", "b"], []), "a,b\r\n");
  });
});

describe("entries of a text", () => {
  test("are separated by lines or commas, without empty ones", () => {
    assert.deepEqual(entriesOf("CVE-2024-1, CVE-2024-2\r\n\n  GHSA-x ,,"), [
      "CVE-2024-1",
      "CVE-2024-2",
      "GHSA-x",
    ]);
    assert.deepEqual(entriesOf(" \n , "), []);
  });
});

describe("whole numbers", () => {
  test("are decimal digits within the bounds", () => {
    for (const text of ["1", "30", "365", "007"]) assert.ok(isWholeNumber(text, 1, 365), text);
    for (const text of ["", "0", "366", "-1", "+1", "1.5", "1e2", "0x10", "ten", " 1", "٣"]) {
      assert.ok(!isWholeNumber(text, 1, 365), text);
    }
    assert.ok(isWholeNumber("0"));
    assert.ok(isWholeNumber(String(Number.MAX_SAFE_INTEGER)));
    assert.ok(!isWholeNumber(`${Number.MAX_SAFE_INTEGER}0`));
  });
});

describe("sentences", () => {
  test("begin with a capital letter and end once", () => {
    assert.equal(sentence("name is required"), "Name is required.");
    for (const text of ["Done.", "Really?", "Stop!"]) assert.equal(sentence(text), text);
    assert.equal(sentence("élan"), "Élan.");
    assert.equal(sentence("see https://x.example"), "See https://x.example.");
  });

  test("of errors name what is missing, not where the server noticed it", () => {
    const uid = "a".repeat(40);
    const denied = new WharfError("PERMISSION_DENIED", `denied: needs groups.create at "${uid}"`);
    const text = sentenceOf(denied);
    assert.match(text, /groups\.create/);
    assert.ok(!text.includes(uid), text);
  });

  test("of errors have no code before them", () => {
    const error = new WharfError("NOT_FOUND", 'Not found: Group "x" does not exist');
    assert.equal(sentenceOf(error), 'Group "x" does not exist.');
    assert.equal(sentenceOf(new Error("failed: to fetch")), "Failed: to fetch.");
  });

  test("of errors list all problems of fields", () => {
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [
          { field: "name", description: "name is required" },
          { field: "days", description: "days must be positive" },
        ],
      },
    ];
    const error = new WharfError("INVALID_ARGUMENT", "Invalid argument: …", { details });
    assert.equal(sentenceOf(error), "Name is required; days must be positive.");
  });
});

describe("words of a shell", () => {
  test("are quoted if they need it", () => {
    for (const text of ["repo:acme/app", "a@b.example", "x=1,2", "100%"]) {
      assert.equal(shellWord(text), text);
    }
    assert.equal(shellWord(""), "''");
    assert.equal(shellWord("a b"), "'a b'");
    assert.equal(shellWord("$(rm -rf /)"), "'$(rm -rf /)'");
    assert.equal(shellWord("it's"), `'it'\\''s'`);
  });

  test("mean the same text to a shell, whatever it contains", () => {
    const pieces = ["'", '"', "\\", " ", "$x", "`id`", "!", "*", "\n", ";", "a", "#", "~"];
    let seed = 7;
    const random = () => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed;
    };
    for (let run = 0; run < 300; run++) {
      const text = Array.from(
        { length: random() % 8 },
        () => pieces[random() % pieces.length],
      ).join("");
      assert.equal(parsed(shellWord(text)), text);
      assert.equal(parsed(shellQuoted(text)), text);
    }
  });
});

/** A word as a POSIX shell reads it: single quotes, and backslashes outside of them. Anything else is no single word. */
function parsed(word: string): string {
  let text = "";
  for (let at = 0; at < word.length; at++) {
    const char = word[at] as string;
    if (char === "'") {
      const end = word.indexOf("'", at + 1);
      assert.ok(end > at, `unclosed quote in ${word}`);
      text += word.slice(at + 1, end);
      at = end;
    } else if (char === "\\") text += word[++at];
    else {
      assert.match(char, /[\w@%+=:,./-]/, `unquoted in ${word}`);
      text += char;
    }
  }
  return text;
}
