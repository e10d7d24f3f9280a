import { create, type DescMethod, type Message, ScalarType } from "@bufbuild/protobuf";
import type { CallOptions } from "./call.ts";
import { itemsOf } from "./services.ts";

/** The maximum of the server. */
const PAGE_SIZE = 200;

/** Requests a page. */
type GetPage = (request: Message, options: CallOptions) => Promise<Message>;

interface Page {
  readonly [items: string]: unknown;
  readonly nextPageToken: string;
}

/**
 * Iterates over all items of a list. The next page is prefetched while the items of a page are consumed; leaving the
 * loop early cancels it.
 *
 * @example for await (const group of allItems(GroupsService.method.listGroups, request, options, getPage)) …
 */
export async function* allItems(
  method: DescMethod,
  request: Message,
  options: CallOptions,
  getPage: GetPage,
): AsyncGenerator<unknown, void, undefined> {
  const items = itemsOf(method.output)?.localName as string;
  const leaving = new AbortController();
  const signal = options.signal
    ? AbortSignal.any([options.signal, leaving.signal])
    : leaving.signal;
  const get = (pageToken: string): Promise<Page> => {
    const sized = request as Message & { pageSize?: number | bigint };
    const pageSize = sized.pageSize || maxPageSize(method);
    // The page token includes what the first page has skipped.
    const continuation = pageToken === "" ? {} : { pageToken, skip: 0 };
    const pageRequest = create(method.input, { ...request, pageSize, ...continuation });
    const page = getPage(pageRequest, { ...options, signal }) as Promise<unknown> as Promise<Page>;
    // The error of a prefetched page is reported when the page is awaited.
    page.catch(() => {});
    return page;
  };
  try {
    let page: Page | undefined = await get("");
    while (page) {
      const next: Promise<Page> | undefined = page.nextPageToken
        ? get(page.nextPageToken)
        : undefined;
      for (const item of page[items] as unknown[]) {
        options.signal?.throwIfAborted();
        yield item;
      }
      page = await next;
    }
  } finally {
    leaving.abort();
  }
}

/** In version 1, page sizes are 64-bit numbers. */
function maxPageSize({ input }: DescMethod): number | bigint {
  const size = input.fields.find((field) => field.name === "page_size");
  const isLong = size?.fieldKind === "scalar" && size.scalar === ScalarType.INT64;
  return isLong ? BigInt(PAGE_SIZE) : PAGE_SIZE;
}
