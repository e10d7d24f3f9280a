import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Ajv } from "ajv";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import { parse, parseAllDocuments } from "yaml";
import manifest from "../../package.json" with { type: "json" };
import { SETTINGS, variableOf } from "../../packages/server/src/config/schema.ts";
import { ROOT } from "../step.ts";
import { CHART, defaultValues, renderChart, type Values } from "./chart.ts";

const DEPLOY = join(ROOT, "deploy");
const read = (path: string) => readFileSync(join(DEPLOY, path), "utf8");

/** Kinds with the schemas of Kubernetes. */
const MODELS: Readonly<Record<string, new (json: never) => { validate(): void }>> = {
  ConfigMap,
  Deployment,
  Ingress,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  ServiceAccount,
};

type KubernetesObject = Readonly<Record<string, unknown>>;

/** Checks objects against the schemas of Kubernetes; answers their kinds. */
function validated(objects: readonly KubernetesObject[]): string[] {
  return objects.map((object) => {
    const kind = String(object.kind);
    const Model = MODELS[kind];
    if (kind !== "ServiceMonitor") assert.ok(Model, kind);
    if (Model !== undefined) new Model(object as never).validate();
    return kind;
  });
}

interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: object;
}

interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
}

function podOf(objects: readonly KubernetesObject[]) {
  const found = objects.find(({ kind }) => kind === "Deployment") as {
    spec: { template: { spec: { containers: [Container]; volumes: Volume[] } } };
  };
  return found.spec.template.spec;
}

/** The variables of settings. */
const VARIABLES: ReadonlySet<string> = new Set(Object.keys(SETTINGS).map(variableOf));

describe("Kubernetes", () => {
  const plain = parseAllDocuments(read("kubernetes/wharf.yaml")).map((one) => one.toJS());

  test("manifests have the schemas of Kubernetes", () => {
    assert.deepEqual(validated(plain), [
      ...["ServiceAccount", "PersistentVolumeClaim", "Deployment", "Service"],
      ...["PodDisruptionBudget", "Ingress"],
    ]);
    const broken = structuredClone(plain);
    broken[2].spec.replicas = "two";
    assert.throws(() => validated(broken));
  });

  test("the chart renders what the manifests have, and more where it is enabled", () => {
    const values = { baseUrl: "https://wharf.example.com" };
    const kinds = validated(renderChart(values)).sort();
    const own = [
      ...["ConfigMap", "Deployment", "PersistentVolumeClaim", "PodDisruptionBudget"],
      ...["Service", "ServiceAccount"],
    ];
    assert.deepEqual(kinds, own);
    const all = renderChart({
      ...values,
      replicas: 3,
      ingress: { enabled: true, className: "nginx" },
      serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
      tolerations: [{ key: "dedicated", operator: "Exists" }],
      settings: { WHARF_LOG_LEVEL: "debug" },
    });
    assert.deepEqual(validated(all).sort(), [...own, "Ingress", "ServiceMonitor"].sort());
    const monitor = all.find(({ kind }) => kind === "ServiceMonitor") as Values;
    const service = all.find(({ kind }) => kind === "Service") as { metadata: Values };
    const { selector } = monitor.spec as { selector: { matchLabels: object } };
    assert.deepEqual(selector.matchLabels, service.metadata.labels);
    assert.throws(() => renderChart({ baseUrl: undefined as never }), /baseUrl has no value/);
  });

  test("pods cannot write anything but their data, and name settings that exist", () => {
    const rendered = renderChart({ baseUrl: "https://wharf.example.com" });
    for (const pod of [podOf(plain), podOf(rendered)]) {
      const [container] = pod.containers;
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      for (const { name } of container.env) assert.ok(VARIABLES.has(name), name);
    }
    const settings = defaultValues().settings as Values;
    for (const name of Object.keys(settings)) assert.ok(VARIABLES.has(name), name);
  });

  test("replicas share the content of the registry, or serve none", () => {
    const baseUrl = "https://wharf.example.com";
    const storageOf = (objects: readonly KubernetesObject[]) => {
      const { containers, volumes } = podOf(objects);
      const { env, volumeMounts } = containers[0];
      const value = env.find(({ name }) => name === "WHARF_REGISTRY_STORAGE")?.value;
      const { name } = volumeMounts.find(({ mountPath }) => mountPath === value) ?? {};
      const claim = volumes.find((volume) => volume.name === name)?.persistentVolumeClaim;
      const created = objects.find(({ kind }) => kind === "PersistentVolumeClaim") as
        | { metadata: { name: string }; spec: { accessModes: string[] } }
        | undefined;
      return [value, claim?.claimName, created?.metadata.name, created?.spec.accessModes];
    };
    const shared = ["ReadWriteMany"];
    assert.deepEqual(storageOf(plain), ["/registry", "wharf-registry", "wharf-registry", shared]);
    const own = "wharf-test-registry";
    assert.deepEqual(storageOf(renderChart({ baseUrl })), ["/registry", own, own, shared]);
    const existing = renderChart({ baseUrl, registry: { existingClaim: "images" } });
    assert.deepEqual(storageOf(existing), ["/registry", "images", undefined, undefined]);
    const none = renderChart({ baseUrl, registry: { enabled: false } });
    assert.deepEqual(storageOf(none), ["off", undefined, undefined, undefined]);
  });

  test("metrics have a port of their own, which the ingress does not route to", () => {
    const rendered = renderChart({
      baseUrl: "https://wharf.example.com",
      ingress: { enabled: true },
      serviceMonitor: { enabled: true },
    });
    for (const objects of [plain, rendered]) {
      const [container] = podOf(objects).containers;
      const { value = "" } =
        container.env.find(({ name }) => name === "WHARF_METRICS_LISTEN") ?? {};
      const metrics = container.ports.find(({ name }) => name === "metrics");
      assert.equal(value, `0.0.0.0:${metrics?.containerPort}`);
      const of = (kind: string) => objects.find((one) => one.kind === kind) as Values | undefined;
      const service = of("Service")?.spec as { ports: { name: string; targetPort: string }[] };
      assert.deepEqual(
        service.ports.map(({ name, targetPort }) => [name, targetPort]),
        [
          ["http", "http"],
          ["metrics", "metrics"],
        ],
      );
      assert.doesNotMatch(JSON.stringify(of("Ingress")), /metrics/);
    }
    const monitor = rendered.find(({ kind }) => kind === "ServiceMonitor") as Values;
    const { endpoints } = monitor.spec as { endpoints: { port: string }[] };
    assert.deepEqual(
      endpoints.map(({ port }) => port),
      ["metrics"],
    );
  });

  test("the chart checks its values", () => {
    const schema = JSON.parse(readFileSync(join(CHART, "values.schema.json"), "utf8"));
    const validate = new Ajv().compile(schema);
    assert.ok(!validate(defaultValues()), "the base URL is required");
    assert.ok(validate({ ...defaultValues(), baseUrl: "https://wharf.example.com" }));
    assert.ok(
      !validate({ ...defaultValues(), baseUrl: "https://wharf.example.com/", replicas: 0 }),
    );
  });
});

test("all files name this version", () => {
  const { version } = manifest;
  const named = [
    ...globSync("{docker/compose.yaml,kubernetes/wharf.yaml,helm/wharf/*.yaml}", { cwd: DEPLOY }),
  ].flatMap((file) => read(file).match(/(?<=(?:wharf:|ersion: |tag: ))\d+\.\d+\.\d+\S*/g) ?? []);
  assert.ok(named.length >= 5, named.join());
  assert.deepEqual(new Set(named), new Set([version]));
});

test("the compose file names settings that exist, and folders that can be written", () => {
  const { services, volumes } = parse(read("docker/compose.yaml"));
  assert.deepEqual(Object.keys(services), ["wharf", "database"]);
  for (const name of Object.keys(services.wharf.environment)) assert.ok(VARIABLES.has(name), name);
  assert.equal(services.wharf.read_only, true);
  const mounts = Object.values<{ volumes?: string[] }>(services).flatMap(
    (one) => one.volumes ?? [],
  );
  assert.deepEqual(
    new Set(mounts.map((mount) => mount.split(":")[0])),
    new Set(Object.keys(volumes)),
  );
});

test("the compose file has no default secrets, and images with digests alone", () => {
  const text = read("docker/compose.yaml");
  const { services, secrets } = parse(text);
  for (const [, name, rest = ""] of text.matchAll(/\$\{(\w+)(.*?)\}/g))
    assert.ok(rest.startsWith(":?"), `${name} has no default`);
  const { environment, secrets: used } = services.wharf;
  assert.equal(environment.WHARF_SECRET_KEY_FILE, `/run/secrets/${used[0]}`);
  assert.ok(secrets[used[0]].file);
  const own = `wharf:${manifest.version}`;
  const images = Object.values<{ image: string }>(services).map(({ image }) => image);
  const bases = [...read("docker/Dockerfile").matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  const named = [...images, ...bases].filter((image) => image !== own);
  assert.ok(named.length >= 3);
  for (const image of named) assert.match(image ?? "", /^\$\{\w+_IMAGE\b|@sha256:[0-9a-f]{64}$/);
});

const ANALYZE = "/usr/bin/systemd-analyze";

test("systemd accepts the unit and its confinement", { skip: !existsSync(ANALYZE) }, () => {
  const folder = mkdtempSync(join(tmpdir(), "wharf-unit-"));
  try {
    const unit = join(folder, "wharf.service");
    // The program is not installed here.
    const program = "/usr/local/bin/wharf";
    const text = read("systemd/wharf.service").replaceAll(program, process.execPath);
    writeFileSync(unit, text);
    execFileSync(ANALYZE, ["verify", unit], { stdio: "pipe" });
    const options = ["security", "--offline=true", "--threshold=20", unit];
    execFileSync(ANALYZE, options, { stdio: "pipe" });
    writeFileSync(unit, text.replace(/^(Protect|Restrict|SystemCall|Private|Capab).*\n/gm, ""));
    assert.throws(() => execFileSync(ANALYZE, options, { stdio: "pipe" }));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
