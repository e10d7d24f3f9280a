import { selection } from "@wharf/advisories/import";
import { Semaphore } from "@wharf/server/lib/scheduling/semaphore.ts";
import type { Credentials } from "@wharf/server/registry/client/authorization.ts";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { CommandError, EXIT, failed, usageError } from "../../errors.ts";
import { counted } from "../../output/counted.ts";
import { problemOf } from "../../problem.ts";
import type { importDefinition } from "../commands.ts";
import { RepositoryCopy } from "./copy-repository.ts";
import { credentialsFor } from "./credentials.ts";
import { type ImageName, type RegistryAddress, readImageName } from "./image-name.ts";
import { RegistryClient } from "./registry-client.ts";
import { Repository, repositoriesIn } from "./repository.ts";
import { TALLY_COLUMNS, Tally } from "./tally.ts";

const MAX_CONCURRENCY = 32;

export const run: Run<typeof importDefinition> = async (context, args) => {
  const { signal, settings, err } = context;
  const { dryRun, concurrency } = args;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_CONCURRENCY) {
    throw usageError(`--concurrency must be a number from 1 to ${MAX_CONCURRENCY}`);
  }
  const source = readImageName(args.source);
  const target = destinationOf(args.destination, source, settings.api);
  const from = clientOf(context, source.registry, givenCredentials(args, context));
  const to = clientOf(context, target.registry);
  const isIncluded = selection(args.include, args.exclude);
  const tally = new Tally();
  const blobs = new Semaphore(concurrency);

  await context.progress(`importing from ${source.registry.host}`, async (step) => {
    const paths = source.isPrefix ? await catalogOf(from, source) : [source.path];
    for (const path of paths) {
      if (signal.aborted) return;
      const name = source.isPrefix ? below(target.path, path, source.path) : target.path;
      const repository = new Repository(from, path, "pull");
      const destination = new Repository(to, name, "pull,push");
      try {
        const existing = source.tag === undefined ? await repository.tags() : undefined;
        const tags = existing?.filter(isIncluded) ?? [source.tag as string];
        const existingTags = existing && new Set(existing);
        const options = { source: repository, destination, tags, existingTags, dryRun };
        const onBytes = () =>
          step.say(`importing ${path}, ${(tally.bytes / 2 ** 20).toFixed(0)} MiB, tags:`);
        const copy = new RepositoryCopy({
          ...{ ...options, tally, blobs, signal, onBytes },
          onProgress: (done, total) => step.at(done, total),
        });
        await copy.run(concurrency);
        tally.repos += 1;
      } catch (error) {
        if (signal.aborted) return;
        tally.failures.push({ name: path, reason: problemOf(error).message });
      }
    }
  });
  await context.out.one(tally, TALLY_COLUMNS, { id: ({ tags }) => String(tags.copied) });
  if (signal.aborted) return err.warn("import incomplete; run the same command again to continue");
  if (tally.failures.length > 0) throw incomplete(tally);
};

/** Without a destination, repositories keep their paths in the registry of this server. */
function destinationOf(given: string | undefined, source: ImageName, api: string): ImageName {
  const { host, origin } = new URL(api);
  if (given === undefined) return { ...source, registry: { host, url: origin } };
  const target = readImageName(given);
  if (target.tag !== undefined) {
    throw usageError("DESTINATION is a repository: tags keep their names", "leave out the tag");
  }
  if (target.isPrefix && !source.isPrefix) {
    throw usageError("only HOST/PREFIX/* can be copied to a prefix", "give DESTINATION a name");
  }
  const isOwn = target.registry.host === host;
  return isOwn ? { ...target, registry: { host, url: origin } } : target;
}

/** The path of a repository below another folder. */
function below(folder: string, path: string, from: string): string {
  const rest = from === "" ? path : path.slice(from.length + 1);
  return folder === "" ? rest : `${folder}/${rest}`;
}

async function catalogOf(client: RegistryClient, { path, registry }: ImageName): Promise<string[]> {
  const found = await repositoriesIn(client, path).catch((error) => {
    if (!(error instanceof CommandError)) throw error;
    const hint = "not every registry lists its repositories to everyone: name each repository";
    throw failed(`the catalog cannot be read: ${error.message}`, hint);
  });
  if (found.length === 0) throw failed(`${registry.host} lists no repository in "${path}"`);
  return found;
}

function clientOf(
  context: Context,
  registry: RegistryAddress,
  given?: Credentials,
): RegistryClient {
  const { signal, err } = context;
  const credentials = async () => given ?? (await credentialsFor(registry.host, context));
  return new RegistryClient({ registry, credentials, signal, log: err.detail });
}

/** The credentials of the source in flags and variables. */
function givenCredentials(
  { username }: { readonly username: string | undefined },
  { environment }: Context,
): Credentials | undefined {
  const password = environment.WHARF_SOURCE_PASSWORD;
  if (username === undefined) return undefined;
  if (!password) throw usageError("--username needs a password", "set WHARF_SOURCE_PASSWORD");
  return { username, password };
}

function incomplete({ failures }: Tally): CommandError {
  return new CommandError({
    message: `${counted(failures.length, "item")} could not be copied`,
    exitCode: EXIT.failed,
    violations: failures.map(({ name, reason }) => ({ field: name, description: reason })),
    hint: "run the same command again: what was copied is skipped",
  });
}
