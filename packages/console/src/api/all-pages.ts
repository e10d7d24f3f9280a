import type { JsonMethod } from "@wharf/client/json";
import { client } from "./client.ts";

/** Reads every page of a list, such as for an export. */
export async function allPages<
  Request extends { pageSize?: number; pageToken?: string },
  Response extends { nextPageToken?: string },
  Row,
>(
  method: JsonMethod<Request, Response>,
  request: Request,
  rows: (response: Response) => readonly Row[] | undefined,
): Promise<Row[]> {
  const all: Row[] = [];
  for (let pageToken = ""; ; ) {
    const page = { ...request, pageSize: 200, ...(pageToken && { pageToken }) };
    const response = await client.call(method, page);
    all.push(...(rows(response) ?? []));
    pageToken = response.nextPageToken ?? "";
    if (pageToken === "") return all;
  }
}
