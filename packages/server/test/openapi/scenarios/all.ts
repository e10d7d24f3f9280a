/** The scenarios, each with the server that it needs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as openpgp from "openpgp";
import { SCANNER_VERSION } from "../../../src/v1/exposure/vuln-report.ts";
import { Receiver } from "../../support/events/receiver.ts";
import { StandInIssuer } from "../../support/providers/issuer.ts";
import { scratchFolder } from "../../support/server/scratch-folder.ts";
import { TrackedRegistry } from "../../support/world/tracked-registry.ts";
import { World, type WorldOptions } from "../../support/world/world.ts";
import { Recorder } from "../recorder.ts";
import { advisories } from "./advisories.ts";
import { attachedRegistry } from "./attached-registry.ts";
import { events } from "./events.ts";
import { exposure } from "./exposure.ts";
import { exposureContract } from "./exposure-contract.ts";
import { exposureDecisions } from "./exposure-decisions.ts";
import { exposureScans } from "./exposure-scans.ts";
import { exposureSources } from "./exposure-sources.ts";
import { iam } from "./iam.ts";
import { iamV1 } from "./iam-v1.ts";
import { login } from "./login.ts";
import { providers } from "./providers.ts";
import { distribution, registry, registryV1 } from "./registry.ts";
import { scim } from "./scim.ts";
import { signatures } from "./signatures.ts";
import { system } from "./system.ts";
import { upstreams } from "./upstreams.ts";

const UPSTREAM = "https://accounts.example.com";
/** This server as a scanner. */
const OWN_VERSION = [SCANNER_VERSION, "wharf/1.0.0"] as const;
const FINGERPRINT = "0123456789ABCDEF0123456789ABCDEF01234567";

/** Plays a scenario on a server of its own, and returns what it recorded. */
type Play = () => Promise<Recorder["examples"]>;

function on(
  options: WorldOptions,
  play: (record: Recorder) => Promise<void>,
  aliases: readonly (readonly [string, string])[] = [],
): Play {
  return async () => {
    const world = await World.start(options);
    try {
      const record = new Recorder(world, aliases);
      await play(record);
      return record.examples;
    } finally {
      await world.stop();
    }
  };
}

/** By the name of the file with the recorded examples. */
export const SCENARIOS: Readonly<Record<string, Play>> = {
  iam: on({}, iam),
  "iam-v1": on({}, iamV1),
  providers: on({}, providers),
  scim: on({}, scim),
  system: on({}, system),
  registry: on({ registry: true }, registry),
  "registry-v1": on({ registry: true }, registryV1),
  signatures: on({ registry: true }, signatures),
  distribution: on({ registry: true }, distribution),
  "attached-registry": playAttachedRegistry,
  events: playEvents,
  login: playLogin,
  advisories: playAdvisories,
  exposure: on({ registry: true }, exposure),
  "exposure-contract": on({ registry: true }, exposureContract, [OWN_VERSION]),
  "exposure-decisions": on({ registry: true }, exposureDecisions),
  "exposure-scans": on({ registry: true }, exposureScans),
  "exposure-sources": on({}, exposureSources),
  // Nothing is synchronized.
  upstreams: on({ registry: true, deliveryTimes: { idlePollMs: 3_600_000 } }, upstreams),
};

async function playAttachedRegistry(): Promise<Recorder["examples"]> {
  const tracked = await TrackedRegistry.start({ flags: ["--reconcile-minutes", "0"] });
  try {
    const record = new Recorder(tracked.world, [[tracked.registry.host, "registry.example.com"]]);
    await attachedRegistry(record, tracked.secret);
    return record.examples;
  } finally {
    await tracked.stop();
  }
}

async function playEvents(): Promise<Recorder["examples"]> {
  const receiver = await Receiver.start();
  const world = await World.start({ deliveryTimes: { pollMs: 50, idlePollMs: 50 } });
  try {
    const record = new Recorder(world, [[receiver.url, "https://hooks.acme.example/wharf"]]);
    await events(record, receiver);
    return record.examples;
  } finally {
    await world.stop();
    receiver.stop();
  }
}

async function playLogin(): Promise<Recorder["examples"]> {
  const issuer = await StandInIssuer.start();
  const world = await World.start({ login: true });
  try {
    const record = new Recorder(world, [
      [issuer.url, "https://token.actions.githubusercontent.com"],
      [world.login.upstream.issuer, UPSTREAM],
      ["ada@acme.example", "dev@acme.example"],
      ["Ada", "Dev"],
    ]);
    await login(record, issuer);
    return record.examples;
  } finally {
    await world.stop();
    await issuer.stop();
  }
}

async function playAdvisories(): Promise<Recorder["examples"]> {
  const userIDs = [{ name: "Acme", email: "security@acme.example" }];
  const { privateKey, publicKey } = await openpgp.generateKey({ userIDs });
  const file = join(scratchFolder("wharf-openpgp-"), "private.asc");
  writeFileSync(file, privateKey, { mode: 0o600 });
  const key = await openpgp.readKey({ armoredKey: publicKey });
  const fingerprint = key.getFingerprint().toUpperCase();
  const alias = [fingerprint, FINGERPRINT] as const;
  const play = (record: Recorder) => advisories(record, fingerprint);
  return on({ flags: ["--csaf-openpgp-key", file] }, play, [alias])();
}
