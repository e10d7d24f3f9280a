/** The part of the library that the benchmark uses; it comes without types. */
declare module "zip-stream" {
  import type { Transform } from "node:stream";

  // biome-ignore lint/style/noDefaultExport: the library has no other.
  export default class ZipStream extends Transform {
    constructor(options?: { readonly zlib?: { readonly level?: number } });
    entry(
      source: string,
      data: { readonly name: string; readonly date: Date },
      done: (error?: Error | null) => void,
    ): this;
    finalize(): void;
  }
}
