import { CALLERS, OTHER_CALLERS } from "../binding-rows.ts";
import { dataSet } from "../data-set.ts";
import type { Target } from "../load/http.ts";
import { inTurn } from "../load/in-turn.ts";
import { measureLoads, perSecond, type Side } from "../measure.ts";
import { ORGANIZATION } from "../organization.ts";
import { type Bench, type Measured, type Row, serve } from "../row.ts";
import { tokensOf } from "../signing-keys.ts";
import { groupPath, mustEqual } from "../verify.ts";

const CONNECTIONS = 32;

/** Resources of the access checks, in rotation. */
const RESOURCES = 1_000;

/** Questions of a batch: as many as the server accepts. */
const BATCH_SIZE = 100;

const CAPABILITY = "CAP_IAM_GROUPS_LIST";

/** The caller of all requests, who has a role at the organization as others have. */
const CALLER = OTHER_CALLERS[0] as string;

interface Compared {
  /** Requests of the reference and of ours, about these resources. */
  reference(uids: readonly string[]): Target[];
  ours(uids: readonly string[]): Target[];
  /** Decisions of one response of ours. */
  readonly decisions: number;
  verify(response: string): void;
}

function gets(uids: readonly string[]): Target[] {
  return uids.map((uid) => ({ path: groupPath(uid) }));
}

/** Checks without reasons, about the caller or about another identity. */
function checks(uids: readonly string[], identity = ""): Target[] {
  const about = identity === "" ? "" : `&identity=${identity}`;
  return uids.map((uid) => ({
    path: `/iam/v2beta1/access:check?resource=${uid}&capability=${CAPABILITY}&view=DECISION${about}`,
  }));
}

/** Batches, each with other resources. */
function batches(uids: readonly string[]): Target[] {
  return uids.map((_, at) => {
    const some = Array.from({ length: BATCH_SIZE }, (_, i) => uids[(at + i) % uids.length]);
    const questions = some.map((resource) => ({ resource, capability: CAPABILITY }));
    const body = JSON.stringify({ checks: questions });
    return { method: "POST", path: "/iam/v2beta1/access:batchCheck", body };
  });
}

async function compare(bench: Bench, compared: Compared): Promise<Measured> {
  const data = await dataSet(bench.options.sizes.medium, "bindings");
  await using server = await serve(bench, data);
  const token = (await tokensOf(server, data, [CALLER])).get(CALLER) as string;
  const uids: string[] = [];
  for (let skip = 0; uids.length < RESOURCES; skip += 200) {
    const query = `uidp.descendantsOf=${ORGANIZATION}&pageSize=200&skip=${skip}`;
    const page = await server.rest(`/iam/v2beta1/groups?${query}`, undefined, { token });
    uids.push(...JSON.parse(page).groups.map(({ uid }: { uid: string }) => uid));
  }
  const { port, pid } = server;
  const ours = compared.ours(uids);
  const { path, body } = ours[0] as Target;
  compared.verify(await server.rest(path, body, { token }));
  const side = (targets: Target[], decisions: number): Side => {
    const job = { port, token, method: "GET", targets, connections: CONNECTIONS } as const;
    const load = inTurn(bench.http, job);
    return {
      pid,
      load: async (seconds) => {
        const found = await load(seconds);
        return { ...found, answers: found.answers * decisions };
      },
    };
  };
  const reference = side(compared.reference(uids), 1);
  return await measureLoads(bench, "per s", perSecond, reference, side(ours, compared.decisions));
}

function mustAllow(response: string): void {
  mustEqual(JSON.parse(response).allowed, true);
}

/** Decisions about access, as services that enforce them ask for them. */
export const checkAccessRows: readonly Row[] = [
  {
    work: "CheckAccess of the caller, the decision only",
    reference: "GET of the same groups",
    target: { atLeast: 0.7 },
    measure: (bench) =>
      compare(bench, { reference: gets, ours: checks, decisions: 1, verify: mustAllow }),
  },
  {
    work: "CheckAccess of another identity, the decision only",
    reference: "GET of the same groups",
    target: { atLeast: 0.7 },
    measure: (bench) =>
      compare(bench, {
        reference: gets,
        ours: (uids) => checks(uids, CALLERS.whole),
        decisions: 1,
        verify: mustAllow,
      }),
  },
  {
    work: `BatchCheckAccess, decisions in batches of ${BATCH_SIZE}`,
    reference: "CheckAccess, one decision for each request",
    target: { atLeast: 20 },
    measure: (bench) =>
      compare(bench, {
        reference: checks,
        ours: batches,
        decisions: BATCH_SIZE,
        verify: (response) => {
          const allowed = JSON.parse(response).results.map(
            (one: { allowed: boolean }) => one.allowed,
          );
          mustEqual(allowed, Array(BATCH_SIZE).fill(true));
        },
      }),
  },
];
