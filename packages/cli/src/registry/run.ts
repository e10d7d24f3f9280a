import { ConfigError, readSettings, type Settings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import type { runDefinition } from "./commands.ts";
import { type RegistrySite, siteOf } from "./site.ts";
import { Supervisor } from "./supervisor.ts";

/** The default address of a registry. */
const DEFAULT_HOST = "127.0.0.1:5000";

export const run: Run<typeof runDefinition> = async (_context, { words }) => {
  const { own, others } = takeOptions(words, ["registry", "storage"]);
  const settings = await readSettings(others, process.env);
  const { host, url } = chosen(settings, own.get("registry"));
  const wired = () => siteOf(settings, { host, url, storage: own.get("storage") });
  const site = await wired();
  const supervisor = new Supervisor(site, wired);
  const stop = () => supervisor.stop();
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  await supervisor.start();
  console.error(howToPush(site));
  console.log(`wharf: registry ready at ${host}`);
  await supervisor.ended;
};

/** The registry to run: the one given, the first of --registry-urls, or the default. */
function chosen({ registryUrls }: Settings, named: string | undefined) {
  if (registryUrls.size === 0 && named === undefined)
    return { host: DEFAULT_HOST, url: new URL(`http://${DEFAULT_HOST}`) };
  const host = named ?? ([...registryUrls.keys()][0] as string);
  const url = registryUrls.get(host);
  if (url === undefined) throw new ConfigError(`--registry-urls has no registry ${host}`);
  return { host, url: new URL(url) };
}

/** Splits the options of this command from the settings of the server. */
function takeOptions(words: readonly string[], names: readonly string[]) {
  const own = new Map<string, string>();
  const others: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    const name = names.find((one) => word === `--${one}` || word.startsWith(`--${one}=`));
    if (name === undefined) {
      others.push(word);
      continue;
    }
    const value = word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[++at];
    if (value === undefined) throw new ConfigError(`--${name} needs a value`);
    own.set(name, value);
  }
  return { own, others };
}

function howToPush({ wiring: { host, baseUrl } }: RegistrySite): string {
  return `wharf: to push, with the UID or the verified name of an organization:
  export WHARF_API=${baseUrl}
  wharf auth login
  wharf auth configure-docker --registry ${host}
  docker push ${host}/ORGANIZATION/IMAGE
or without Docker:
  TOKEN=$(wharf auth token --audience ${host})
  skopeo copy --all --dest-tls-verify=false --dest-creds "_token:$TOKEN" docker://alpine docker://${host}/ORGANIZATION/alpine`;
}
