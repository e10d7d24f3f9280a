/** The canonical codes of google.rpc.Code: number, prefix of error messages, and HTTP status. */
export const CODES = {
  CANCELLED: { number: 1, words: "Cancelled", http: 499 },
  UNKNOWN: { number: 2, words: "Unknown", http: 500 },
  INVALID_ARGUMENT: { number: 3, words: "Invalid argument", http: 400 },
  DEADLINE_EXCEEDED: { number: 4, words: "Deadline exceeded", http: 504 },
  NOT_FOUND: { number: 5, words: "Not found", http: 404 },
  ALREADY_EXISTS: { number: 6, words: "Already exists", http: 409 },
  PERMISSION_DENIED: { number: 7, words: "Permission denied", http: 403 },
  RESOURCE_EXHAUSTED: { number: 8, words: "Resource exhausted", http: 429 },
  FAILED_PRECONDITION: { number: 9, words: "Precondition failed", http: 400 },
  ABORTED: { number: 10, words: "Aborted", http: 409 },
  OUT_OF_RANGE: { number: 11, words: "Out of range", http: 400 },
  UNIMPLEMENTED: { number: 12, words: "Unimplemented", http: 501 },
  INTERNAL: { number: 13, words: "Internal", http: 500 },
  UNAVAILABLE: { number: 14, words: "Unavailable", http: 503 },
  DATA_LOSS: { number: 15, words: "Data loss", http: 500 },
  UNAUTHENTICATED: { number: 16, words: "Unauthenticated", http: 401 },
} as const;

export type CodeName = keyof typeof CODES;
