import { CALLERS } from "../binding-rows.ts";
import type { Options } from "../options.ts";
import { ORGANIZATION } from "../organization.ts";
import { counted, type Row } from "../row.ts";
import { tokensOf } from "../signing-keys.ts";
import { type List, worstListRow } from "../worst-list.ts";
import { changing, GROUPS, inEveryOrder } from "./worst-groups.ts";

const SCOPES = ["", `uidp.descendantsOf=${ORGANIZATION}`, `uidp.childrenOf=${ORGANIZATION}`];

/** Lists of callers who see rows that are scattered over the whole tree. */
export function worstBindingsRow({ sizes }: Options): Row {
  const count = sizes.large;
  return worstListRow({
    work: `the worst list of a caller with 10,000 scattered role bindings among ${counted(count)} groups`,
    ...{ atMost: 150, data: "bindings", count },

    async listsOf(server, data) {
      const tokens = await tokensOf(server, data, Object.values(CALLERS));
      const lists = new Map<string, List>();
      let seen = "";
      for (const caller of ["folders", "leaves"] as const) {
        const token = tokens.get(CALLERS[caller]) as string;
        const page = await server.rest(`${GROUPS}?pageSize=1`, undefined, { token });
        const { groups, totalCount } = JSON.parse(page);
        seen = groups[0].uid;
        const skips = SCOPES.slice(0, 2).map((scope) => `${scope}&skip=${totalCount >> 1}`);
        for (const [name, { path }] of inEveryOrder(GROUPS, [...SCOPES, ...skips])) {
          lists.set(`bound at ${caller}, ${name}`, { path, token });
        }
      }
      const whole = { path: `${GROUPS}?orderBy=uid`, token: tokens.get(CALLERS.whole) as string };
      return { lists, whole, change: changing(server, seen) };
    },
  });
}
