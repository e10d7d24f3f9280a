import { create, type DescMethod, type Message, ScalarType } from "@bufbuild/protobuf";
import type { CallOptions } from "./call.ts";
import { itemsOf } from "./services.ts";

/** As many as the server gives at once: fewer requests for the same items. */
const PAGE_SIZE = 200;

/** How a page is asked for. */
type GetPage = (request: Message, options: CallOptions) => Promise<Message>;

interface Page {
  readonly [items: string]: unknown;
  readonly nextPageToken: string;
}

/**
 * Goes through all items of a list, page after page. The next page is on its way while the items of
 * one are gone through; leaving early, by `break` or an error, gives it up.
 *
 * @example for await (const group of eachItem(GroupsService.method.listGroups, request, options, getPage)) …
 */
export async function* eachItem(
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
    const given = request as Message & { pageSize?: number | bigint };
    const pageSize = given.pageSize || largestPage(method);
    // What the first page has skipped is behind its token.
    const further = pageToken === "" ? {} : { pageToken, skip: 0 };
    const asked = create(method.input, { ...request, pageSize, ...further });
    const page = getPage(asked, { ...options, signal }) as Promise<unknown> as Promise<Page>;
    // Whoever waits for the page hears of its failure; a page that nobody waits for has none.
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

/** Version 1 counts in longer numbers. */
function largestPage({ input }: DescMethod): number | bigint {
  const size = input.fields.find((field) => field.name === "page_size");
  const isLong = size?.fieldKind === "scalar" && size.scalar === ScalarType.INT64;
  return isLong ? BigInt(PAGE_SIZE) : PAGE_SIZE;
}
