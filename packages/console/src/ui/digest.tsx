import { Link } from "@tanstack/react-router";
import { screenLink } from "../app/location.ts";

/** The beginning of a digest that people compare. */
export function shortDigest(digest: string): string {
  const [algorithm, hex = ""] = digest.split(":");
  return `${algorithm}:${hex.slice(0, 12)}`;
}

/** A digest, shortened; the whole is there to hover and for screen readers. With a repo, it leads to its screen. */
export function Digest({ digest, repo }: { readonly digest: string; readonly repo?: string }) {
  const shown = (
    <code title={digest}>
      <span aria-hidden="true">{shortDigest(digest)}</span>
      <span className="unseen">{digest}</span>
    </code>
  );
  return repo === undefined || digest === "" ? (
    shown
  ) : (
    <Link {...screenLink("image", `${repo}/${digest}`)}>{shown}</Link>
  );
}
