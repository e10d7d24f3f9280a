import { texts } from "../texts/common.ts";
import type { Column } from "./table.tsx";
import { Age } from "./time.tsx";

/** The column of creation times. */
export const CREATED: Column<{ readonly createTime?: string }> = {
  header: texts.columns.created,
  sort: "create_time",
  cell: ({ createTime }) => <Age time={createTime} />,
};
