import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import type { CallOptions } from "./call.ts";

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
  const items = method.output.fields[0]?.localName as string;
  const leaving = new AbortController();
  const signal = options.signal
    ? AbortSignal.any([options.signal, leaving.signal])
    : leaving.signal;
  const get = (pageToken: string): Promise<Page> => {
    const given = request as Message & { pageSize?: number };
    const pageSize = given.pageSize || PAGE_SIZE;
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
