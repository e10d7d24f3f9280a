import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { GroupSchema } from "@wharf/contract";
import { styleOf } from "../terminal/terminal.ts";
import { type Column, textOf, timeText } from "./columns.ts";
import { outputTo } from "./output.ts";
import { addSchema } from "./schemas.ts";

interface Item {
  readonly uid: string;
  readonly name: string;
  readonly tags?: readonly string[];
}

const COLUMNS: readonly Column<Item>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "UID", value: ({ uid }) => uid },
  { header: "Tags", value: ({ tags }) => tags, wide: true },
];

const ITEMS: readonly Item[] = [
  { uid: "a", name: "acme", tags: ["x", "y"] },
  { uid: "a/b", name: 'say "hi", all' },
];

function printer(format: string, { width = undefined as number | undefined, isTTY = false } = {}) {
  const written: string[] = [];
  const notes: string[] = [];
  const style = styleOf(false);
  const terminal = {
    isTTY,
    showsRemarks: false,
    isInteractive: false,
    width,
    height: undefined,
    style,
    remarkStyle: style,
  };
  const out = outputTo({
    format,
    jq: undefined,
    terminal,
    write: (text) => written.push(text),
    show: async (text) => void written.push(text),
    note: (text) => notes.push(text),
  });
  return { out, notes, written, text: () => written.join("") };
}

const LISTS: Readonly<Record<string, string>> = {
  table: 'NAME           UID\nacme           a\nsay "hi", all  a/b\n',
  wide: 'NAME           UID  TAGS\nacme           a    x, y\nsay "hi", all  a/b\n',
  id: "a\na/b\n",
  csv: 'NAME,UID,TAGS\r\nacme,a,"x, y"\r\n"say ""hi"", all",a/b,\r\n',
  tree: 'acme\n└── say "hi", all\n',
  json: `${JSON.stringify({ items: ITEMS }, undefined, 2)}\n`,
  yaml: 'items:\n  - uid: a\n    name: acme\n    tags:\n      - x\n      - y\n  - uid: a/b\n    name: say "hi", all\n',
};

for (const [format, expected] of Object.entries(LISTS)) {
  test(`lists are printed as ${format}`, async () => {
    const { out, text } = printer(format);
    await out.list(ITEMS, COLUMNS);
    assert.equal(text(), expected);
  });
}

test("single items are printed whole, or field by field", async () => {
  const json = printer("json");
  await json.out.one(ITEMS[0] as Item, COLUMNS);
  assert.deepEqual(JSON.parse(json.text()), ITEMS[0]);
  const sheet = printer("table");
  await sheet.out.one(ITEMS[0] as Item, COLUMNS);
  assert.equal(sheet.text(), "Name:  acme\nUID:   a\nTags:  x, y\n");
});

test("an empty list is a remark to people and an empty document to scripts", async () => {
  const table = printer("table");
  await table.out.list([], COLUMNS, { what: "organizations" });
  assert.deepEqual([table.text(), table.notes], ["", ["no organizations"]]);
  const json = printer("json");
  await json.out.list([], COLUMNS);
  assert.deepEqual([JSON.parse(json.text()), json.notes], [{ items: [] }, []]);
});

test("ids are printed as they come; JSON that fails on its way is not begun", async () => {
  async function* failing() {
    yield ITEMS[0] as Item;
    throw new Error("cut");
  }
  const id = printer("id");
  await assert.rejects(id.out.list(failing(), COLUMNS), /cut/);
  assert.equal(id.text(), "a\n");
  const json = printer("json");
  await assert.rejects(json.out.list(failing(), COLUMNS), /cut/);
  assert.equal(json.text(), "");
});

test("messages of the client are printed as the API has them", async () => {
  const createTime = timestampFromDate(new Date("2026-01-02T03:04:05Z"));
  addSchema(GroupSchema);
  const group = create(GroupSchema, { uid: "a", name: "acme", createTime });
  const { out, text } = printer("json");
  await out.list([group], []);
  const [printed] = JSON.parse(text()).items;
  assert.equal(printed.createTime, "2026-01-02T03:04:05Z");
  assert.equal(printed.verified, false);
  assert.equal(printed.$typeName, undefined);
  const table = printer("table");
  await table.out.list([group], [{ header: "Created", value: (item) => item.createTime }]);
  assert.equal(table.text(), "CREATED\n2026-01-02T03:04:05Z\n");
});

test("times are printed to the second", () => {
  const moment = new Date("2026-01-02T03:04:05.678Z");
  for (const time of [moment, timestampFromDate(moment)]) {
    assert.equal(textOf(time), "2026-01-02T03:04:05Z");
  }
  assert.equal(timeText(moment.getTime()), "2026-01-02T03:04:05Z");
});

test("control characters are escaped at a terminal, and kept for scripts", async () => {
  const sly = { uid: "\u001b[2J", name: "x" };
  const people = printer("id", { isTTY: true });
  await people.out.list([sly], COLUMNS);
  assert.equal(people.text(), "\\x1b[2J\n");
  const scripts = printer("id");
  await scripts.out.list([sly], COLUMNS);
  assert.equal(scripts.text(), "\u001b[2J\n");
});

test("an unsupported format is rejected", async () => {
  await assert.rejects(printer("env").out.list(ITEMS, COLUMNS), { name: "CommandError" });
});
