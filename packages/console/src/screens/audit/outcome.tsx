import { auditTexts } from "../../texts/audit.ts";

/** The canonical codes of requests that were denied. */
const DENIED: ReadonlySet<number> = new Set([7, 16]);

/** The outcome of a request, by its canonical code. */
export function OutcomeBadge({ code = 0 }: { readonly code?: number | undefined }) {
  const { succeeded, denied, failed } = auditTexts.outcomes;
  const text = code === 0 ? succeeded : DENIED.has(code) ? denied : failed;
  return <span className={code === 0 ? "badge good" : "badge bad"}>{text}</span>;
}

/** The method without its service. */
export function actionOf(method: string): string {
  return method.split("/").at(-1) ?? "";
}
