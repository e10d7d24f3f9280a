/** As much as tests use: the library has no types of its own. */
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
  // biome-ignore lint/style/noDefaultExport: it is what the library has.
  export default function validate(
    tests: readonly ((document: unknown) => unknown)[],
    document: unknown,
  ): Promise<{ readonly tests: readonly TestResult[] }>;
}
