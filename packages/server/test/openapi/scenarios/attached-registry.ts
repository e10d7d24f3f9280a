import type { Recorder } from "../recorder.ts";

/** Registries that are attached, and what they report. */
export async function attachedRegistry(record: Recorder, secret: string): Promise<void> {
  const { organization, host } = record.world.registry;
  await record.world.operator().repos.create(organization, { name: "app" });
  await record.call("registryNotifications", {
    token: secret,
    body: {
      events: [
        {
          id: "8ff2c4a5-3f5e-4f33-9a1f-54ad6e6ab0a5",
          timestamp: "2026-01-31T09:30:00Z",
          action: "pull",
          target: {
            mediaType: "application/vnd.oci.image.manifest.v1+json",
            repository: "acme/app",
            digest: `sha256:${"0".repeat(63)}1`,
            tag: "1.0",
            length: 482,
          },
          request: { host, method: "GET", useragent: "docker/28.0" },
        },
      ],
    },
  });
  await record.call("RegistriesService_ListRegistries");
  await record.call("RegistriesService_ReconcileRegistries", { body: {} });
}
