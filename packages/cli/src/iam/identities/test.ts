import type { TestIdentityResponse } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { failed } from "../../errors.ts";
import type { Column } from "../../output/columns.ts";
import { namesOf } from "../../resolve/capabilities.ts";
import { groupNames } from "../../resolve/group-names.ts";
import { IDENTITY } from "../../resolve/kinds.ts";
import { resolveUid } from "../../resolve/resolve.ts";
import type { testDefinition } from "./commands.ts";

export const run: Run<typeof testDefinition> = async (context, args) => {
  const { scopes, cap } = args;
  const uid = await resolveUid(context, IDENTITY, args.identity);
  const { identities } = await context.client();
  const request = { uid, token: args.token.trim(), scopes: [...scopes], cap: [...cap] };
  const verdict = await identities.test(request, { signal: context.signal });
  await print(context, verdict);
  for (const warning of verdict.warnings) context.err.warn(warning);
  if (verdict.allowed) return context.err.note("the token is let in");
  const wrong = verdict.checks.filter(({ ok }) => !ok).map(({ claim }) => claim);
  throw failed(`the token would be refused: ${wrong.join(", ")}`);
};

type Check = TestIdentityResponse["checks"][number];
type Grant = TestIdentityResponse["grants"][number];

const CHECKS: readonly Column<Check>[] = [
  { header: "OK", value: ({ ok }) => (ok ? "✓" : "✗") },
  { header: "Check", value: ({ claim }) => claim },
  { header: "Expected", value: ({ expected }) => expected },
  { header: "Found", value: ({ found }) => found },
];

/** For people, checks and grants one below the other; for scripts, the answer as it is. */
async function print(context: Context, verdict: TestIdentityResponse): Promise<void> {
  const { out } = context;
  const whole = context.settings.format !== undefined || ["json", "yaml"].includes(out.format);
  if (whole) return out.one(verdict, []);
  await out.list(verdict.checks, CHECKS, {
    id: ({ claim }) => claim,
    tree: { label: ({ claim, ok }) => `${ok ? "✓" : "✗"} ${claim}`, parent: () => undefined },
  });
  if (verdict.grants.length === 0 || !["table", "wide"].includes(out.format)) return;
  const names = await groupNames(
    context,
    verdict.grants.map(({ group }) => group),
  );
  out.text("");
  const grants: readonly Column<Grant>[] = [
    { header: "In", value: ({ group }) => names.get(group) ?? group },
    { header: "The token can", value: ({ capabilities }) => namesOf(capabilities) },
    { header: "Group UID", value: ({ group }) => group, wide: true },
  ];
  await out.list(verdict.grants, grants);
}
