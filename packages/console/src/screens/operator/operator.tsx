import { forgetOperatorToken, useIsOperator } from "../../api/operator.ts";
import { operatorTexts } from "../../texts/operator.ts";
import { OperatorGate } from "../../ui/operator-gate.tsx";
import { Page } from "../../ui/page.tsx";
import { Tabs, useTab } from "../../ui/tabs.tsx";
import { Keys } from "./keys.tsx";
import { Quotas } from "./quotas.tsx";
import { Status } from "./status.tsx";

const COMMANDS = {
  status: { cli: "wharf health", rest: "/installation/v2beta1/status" },
  keys: { cli: "wharf admin keys list", rest: "/installation/v2beta1/signingKeys" },
  quotas: { cli: "wharf iam organizations update acme --limit repositories=100" },
} as const;

const PARTS = { status: Status, keys: Keys, quotas: Quotas } as const;

/** The installation itself, for its operator. */
export function Screen() {
  const tab = useTab(operatorTexts.tabs);
  const isOperator = useIsOperator();
  const Part = PARTS[tab];
  return (
    <Page
      title={operatorTexts.title}
      command={COMMANDS[tab]}
      actions={
        isOperator && (
          <button type="button" className="button quiet" onClick={forgetOperatorToken}>
            {operatorTexts.leave}
          </button>
        )
      }
    >
      <OperatorGate>
        <Tabs label={operatorTexts.tabsLabel} tabs={operatorTexts.tabs} />
        <Part />
      </OperatorGate>
    </Page>
  );
}
