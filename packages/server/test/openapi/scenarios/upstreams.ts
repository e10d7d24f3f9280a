import type { Recorder } from "../recorder.ts";

/** Upstreams. Port 9 of this machine answers nothing: examples read nothing from the Internet. */
export async function upstreams(record: Recorder): Promise<void> {
  const { world } = record;
  const { organization } = world.registry;
  const group = await world.group(organization, "hub");
  const method = (name: string) => `UpstreamsService_${name}`;
  await record.call(method("CreateUpstream"), {
    path: group,
    body: {
      url: "http://127.0.0.1:9",
      mode: "UPSTREAM_MODE_SYNC",
      username: "acme",
      password: "secret",
      repositories: ["library/alpine"],
      tags: ["3.*"],
      syncInterval: "3600s",
    },
  });
  await record.call(method("GetUpstream"), { path: group });
  await record.call(method("ListUpstreams"), { query: { "uidp.children_of": organization } });
  await record.call(method("SyncUpstream"), { path: group, body: {} });
  await record.call(method("UpdateUpstream"), { path: group, body: { tags: ["3.20"] } });
  await record.call(method("CheckUpstream"), {
    path: group,
    body: { repository: "library/alpine" },
  });
  await record.call(method("DeleteUpstream"), { path: group });
}
