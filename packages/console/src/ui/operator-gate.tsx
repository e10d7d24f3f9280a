import type { ReactNode } from "react";
import { enterOperatorToken, useIsOperator } from "../api/operator.ts";
import { operatorTexts } from "../texts/operator.ts";
import { Code } from "./code.tsx";
import { TextField } from "./fields.tsx";
import { PageForm } from "./page-form.tsx";

/** Shows what only the operator may see, once there is the operator's token. */
export function OperatorGate({ children }: { readonly children: ReactNode }) {
  const isOperator = useIsOperator();
  if (isOperator) return children;
  return (
    <section className="gate" aria-labelledby="gate">
      <h2 id="gate">{operatorTexts.gateTitle}</h2>
      <p>{operatorTexts.gateText}</p>
      <Code text={operatorTexts.command} />
      <PageForm
        label={operatorTexts.gateTitle}
        submit={operatorTexts.enter}
        onSubmit={(text) => enterOperatorToken(text("token"))}
      >
        <TextField name="token" type="password" label={operatorTexts.token} isRequired />
      </PageForm>
    </section>
  );
}
