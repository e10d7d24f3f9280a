import { Link } from "@tanstack/react-router";
import { texts } from "../texts/common.ts";
import { Page } from "../ui/page.tsx";

export function NotFound() {
  return (
    <Page title={texts.notFound.title}>
      <p>{texts.notFound.text}</p>
      <p>
        <Link to="/organizations">{texts.notFound.back}</Link>
      </p>
    </Page>
  );
}
