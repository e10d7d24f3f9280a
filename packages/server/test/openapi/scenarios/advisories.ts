import { ANONYMOUS_UID } from "../../../src/auth/caller.ts";
import type { Recorder } from "../recorder.ts";

const EVENT = {
  createTime: "2026-01-10T08:00:00Z",
  author: "security@acme.example",
  reviewState: "REVIEW_STATE_APPROVED",
};
const ADVISORY = {
  advisoryId: "CGA-2222-2222-2222",
  artifactType: "apk",
  artifactName: "openssl",
  artifactArchitecture: "x86_64",
  componentName: "libcrypto3",
  componentType: "apk",
  componentLocation: "/lib/libcrypto.so.3",
  author: "security@acme.example",
  aliases: ["CVE-2026-0001"],
  events: [{ ...EVENT, fixed: { fixedVersion: "3.5.0-r0" } }],
};

/** Advisories, their imports and feeds. */
export async function advisories(record: Recorder, fingerprint: string): Promise<void> {
  const { world } = record;
  const acme = await world.organization("acme");
  const group = await world.group(acme, "security");
  await record.call("AdvisoryImportsService_ImportAdvisories", {
    path: group,
    body: { documents: [{ name: "openssl.json", advisories: [ADVISORY] }] },
  });
  const list = await record.body("AdvisoriesService_ListAdvisories", {
    query: { "uidp.children_of": group },
  });
  await record.call("AdvisoriesService_GetAdvisory", { path: list.advisories[0].uid });
  await approve(record, list.advisories[0].uid);
  await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
  await feeds(record, group, fingerprint);
  await v1(record, group);
}

/** Imported events are reviewed before feeds have them. */
async function approve({ world }: Recorder, advisory: string): Promise<void> {
  const api = world.operator().v1.advisoryEvents;
  for (const event of (await api.list({ parentId: advisory })).items)
    await api.update(event.id, { ...event, status: "APPROVED" });
}

async function v1(record: Recorder, group: string): Promise<void> {
  const service = (method: string) => `V1_Advisories_${method}`;
  const about = { artifactType: "apk", artifactName: "zlib", aliases: ["CVE-2026-0002"] };
  const { id } = await record.body(service("Create"), {
    body: { parentId: group, advisory: about },
  });
  await record.call(service("Update"), {
    path: id,
    body: { ...about, artifactArchitecture: "x86_64" },
  });
  const event = await record.body(service("CreateAdvisoryEvent"), {
    path: id,
    body: { advisoryEvent: { detection: { manual: {} } } },
  });
  await record.call(service("UpdateAdvisoryEvent"), {
    path: event.id,
    body: { fixed: { fixedVersion: "1.3.1-r1" } },
  });
  await record.call(service("ListAdvisoryEvents"), { path: id });
  await record.call(service("List"), { query: { id } });
  await record.call(service("Delete"), { path: id });
}

async function feeds(record: Recorder, group: string, fingerprint: string): Promise<void> {
  const year = String(new Date().getUTCFullYear());
  const document = "apk-openssl";
  const files: Record<string, readonly string[]> = {
    feedOsvIndex: [],
    feedOsvChanges: [],
    feedOsvRecord: [ADVISORY.advisoryId],
    feedOsvEcosystems: [],
    feedOsvEcosystemChanges: ["Wolfi"],
    feedOsvEcosystemRecord: ["Wolfi", ADVISORY.advisoryId],
    feedSecdb: [],
    feedSecdbArchitecture: ["x86_64"],
    feedOpenVex: [],
    feedOpenVexIndex: [],
    feedVexRepository: [],
    feedVexRepositoryWellKnown: [],
    feedOpenVexPackage: ["apk", "openssl"],
    feedCsafProvider: [],
    feedCsafIndex: [],
    feedCsafChanges: [],
    feedCsafRolie: ["csaf-feed-tlp-white"],
    feedCsafKey: [fingerprint],
    feedCsafDocument: [year, document],
    feedCsafProof: [year, document, "sha256"],
  };
  for (const [operation, below] of Object.entries(files))
    await record.call(operation, { path: [group, ...below], token: "" });
}
