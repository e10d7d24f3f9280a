/** The messages between a process and its storage threads. */

export type DiskRequest =
  /** Creates a file, which must not exist. */
  | { readonly kind: "open"; readonly id: number; readonly path: string }
  /** Appends the first bytes of a buffer, which comes back with the answer. */
  | {
      readonly kind: "write";
      readonly id: number;
      readonly buffer: ArrayBuffer;
      readonly length: number;
    }
  /** Opens a file for reading. */
  | {
      readonly kind: "read";
      readonly id: number;
      readonly path: string;
      readonly algorithm: string;
    }
  /** Hashes the next bytes of a file that is read. */
  | { readonly kind: "hash"; readonly id: number; readonly length: number }
  /** Closes a file that is read. */
  | { readonly kind: "close"; readonly id: number }
  /** Flushes and closes a file. */
  | { readonly kind: "finish"; readonly id: number }
  /** Closes and removes a file. */
  | { readonly kind: "abort"; readonly id: number }
  /** Hashes files in their order, and writes their content to another one unless there is only one. */
  | {
      readonly kind: "join";
      readonly id: number;
      readonly algorithm: string;
      readonly paths: readonly string[];
      readonly to: string;
    };

/** The answer to each request, in their order for one id. */
export interface DiskAnswer {
  readonly id: number;
  readonly error?: { readonly message: string; readonly code: string | undefined };
  /** The bytes of "write". */
  readonly buffer?: ArrayBuffer;
  /** Of "finish": the SHA-256; of "join" and "close": the digest; in hexadecimal. */
  readonly hex?: string;
  /** Of "hash": the bytes that were read, 0 at the end. */
  readonly bytes?: number;
}
