/**
 * How V8 runs a server. What it allocates at its start lives long, so V8 takes what the same code allocates for requests
 * for long-lived, too, and puts it where only the rare full collections look. Short collections take up to ten times as
 * long meanwhile.
 *
 * V8 rejects a code cache that was made with other flags, that of Node.js for its own modules included. So the flag is
 * set once the server is loaded, and unset for as long as its code cache is made.
 */
export const V8_FLAGS = {
  set: "--no-allocation-site-pretenuring",
  unset: "--allocation-site-pretenuring",
} as const;
