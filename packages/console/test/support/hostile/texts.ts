/** Texts that would run, lead elsewhere, reorder what is beside them, hide, or push everything aside. */
export const TEXTS = {
  markup: `"'><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>`,
  link: "javascript:alert(4)//https://example.com/",
  template: "{{constructor.constructor('alert(5)')()}}",
  bidi: "safe\u202Egpj.exe\u202C \u2066isolated",
  hidden: "a\u200B\u200D\uFEFFdmin\u00AD",
  long: `${"W".repeat(120)} `.repeat(3),
  markdown:
    "[a](javascript:alert(6)) ![b](https://example.com/b.png) <javascript:alert(7)> [c](data:text/html,<script>alert(8)</script>)",
} as const satisfies Readonly<Record<string, string>>;

export type TextName = keyof typeof TEXTS;
