import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type JsonObject, toJson } from "@bufbuild/protobuf";
import { readDocument } from "@wharf/advisories/read";
import { AdvisoryDocumentSchema } from "@wharf/contract";
import { publicJson } from "../../advisories/src/publish/index.ts";
import { randomAdvisories } from "../../advisories/test/random-advisories.ts";
import { ANONYMOUS_UID } from "../src/auth/caller.ts";
import { Scanner, unzipped } from "./support/client/feed-client.ts";
import { onEachStore } from "./support/world/world.ts";

const SEVERITIES = [
  { type: "TYPE_CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" },
  {
    type: "TYPE_CVSS_V4",
    score: "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N",
  },
];

onEachStore("published advisories that are imported again", (world) => {
  let scanner: Scanner;
  before(() => {
    scanner = new Scanner(world.server.url);
  });

  /** The documents of a feed, as an import sends them. */
  async function documentsOf(group: string, path: string): Promise<JsonObject[]> {
    const { bytes } = await scanner.get(`${group}/${path}`);
    const files = path.endsWith(".zip") ? await unzipped(bytes) : new Map([[path, `${bytes}`]]);
    return [...files].map(([name, text]) => {
      const document = readDocument(Buffer.from(text), { name });
      return toJson(AdvisoryDocumentSchema, document) as JsonObject;
    });
  }

  async function publicGroup(): Promise<string> {
    const group = await world.organization();
    await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
    return group;
  }

  test("change nothing in their own group, in any format", async () => {
    const api = world.operator();
    const group = await publicGroup();
    const advisories = randomAdvisories(7, 40).map((one) => publicJson(one));
    // The record goes by another name than most advisories' first alias.
    const known = { id: "GHSA-2222-3333-4444", aliases: ["CVE-2026-0001"], severities: SEVERITIES };
    const vulnerabilities = [{ ...known, updateTime: "2026-01-01T00:00:00Z" }];
    const [first] = (
      await api.advisoryImports.importAdvisories({
        parent: group,
        documents: [{ name: "a", advisories, vulnerabilities }],
      })
    ).results;
    assert.deepEqual([first.refusals, first.created], [[], 40]);
    const list = () => api.advisories.list({ uidp: { childrenOf: group }, pageSize: 200 });
    const before = await list();
    for (const path of ["osv/all.zip", "openvex/all.json", "csaf/all.zip"]) {
      const documents = await documentsOf(group, path);
      assert.ok(documents.length > 0, path);
      const { results } = await api.advisoryImports.importAdvisories({ parent: group, documents });
      for (const { created, changed, vulnerabilitiesChanged, refusals } of results) {
        assert.deepEqual([created, changed, vulnerabilitiesChanged, refusals], [0, 0, 0, []], path);
      }
    }
    assert.deepEqual(await list(), before, "down to the times");
  });

  test("keep the severity of the vulnerability record, and use their own where there is no record", async () => {
    const api = world.operator();
    const [one] = randomAdvisories(1, 1);
    const fixed = { createTime: "2026-01-01T00:00:00Z", fixed: { fixedVersion: "1" } };
    const advisories = [
      { ...publicJson(one as never), aliases: ["CVE-1", "GHSA-1"], events: [fixed] },
    ];
    const source = await publicGroup();
    const record = { id: "GHSA-1", aliases: ["CVE-1"], updateTime: "2026-01-01T00:00:00Z" };
    const rate = (severities: JsonObject[], day: number) =>
      api.advisoryImports.importAdvisories({
        parent: source,
        documents: [
          {
            name: "record",
            vulnerabilities: [{ ...record, severities, updateTime: `2026-01-0${day}T00:00:00Z` }],
          },
        ],
      });
    await api.advisoryImports.importAdvisories({
      parent: source,
      documents: [{ name: "a", advisories }],
    });
    await rate(SEVERITIES.slice(0, 1), 1);
    const mirror = await publicGroup();
    const shown = async (group: string) =>
      (await api.advisories.list({ uidp: { childrenOf: group } })).advisories[0].severities;
    const follow = async (group: string) =>
      api.advisoryImports.importAdvisories({
        parent: group,
        documents: await documentsOf(source, "osv/all.zip"),
      });
    await follow(mirror);
    assert.deepEqual(await shown(mirror), SEVERITIES.slice(0, 1));
    await follow(source);
    await rate(SEVERITIES.slice(1), 2);
    assert.deepEqual(await shown(source), SEVERITIES.slice(1), "nothing of what was heard stays");
    await follow(mirror);
    assert.deepEqual(await shown(mirror), SEVERITIES.slice(1));
  });
});
