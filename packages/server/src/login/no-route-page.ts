import type { ErrorPage } from "../wire/http/http.ts";
import { pageHeaders } from "./pages/layout.ts";
import { errorPage } from "./pages/messages.ts";

const WRONG_METHOD = {
  title: "Nothing to show here",
  text: "This address is a step of another page and cannot be opened by itself. Start again from there.",
};

const UNKNOWN = {
  title: "Page not found",
  text: "There is nothing at this address. It may be misspelled, or the page may have moved.",
};

/** The page of an address that nothing handles. */
export const noRoutePage: ErrorPage = ({ httpStatus }, requestId) => ({
  headers: pageHeaders(),
  body: errorPage({ ...(httpStatus === 405 ? WRONG_METHOD : UNKNOWN), requestId }),
});
