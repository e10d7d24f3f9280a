/** Data of a source that cannot be imported. The message may be shown. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  readonly code: "INVALID_DATA" | "CHECKSUM" | "TOO_LARGE";

  constructor(code: SourceError["code"], text: string) {
    super(text);
    this.code = code;
  }
}
