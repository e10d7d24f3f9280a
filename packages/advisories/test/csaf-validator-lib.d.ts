/** The types that tests use: the library has none. */
declare module "@secvisogram/csaf-validator-lib/mandatoryTests.js" {
  const tests: Readonly<Record<string, (document: unknown) => unknown>>;
  export = tests;
}

declare module "@secvisogram/csaf-validator-lib/validate.js" {
  interface TestResult {
    readonly name: string;
    readonly isValid: boolean;
    readonly errors: readonly { readonly instancePath: string; readonly message?: string }[];
  }
  // biome-ignore lint/style/noDefaultExport: the library has one.
  export default function validate(
    tests: readonly ((document: unknown) => unknown)[],
    document: unknown,
  ): Promise<{ readonly tests: readonly TestResult[] }>;
}
