import { Link, useNavigate } from "@tanstack/react-router";
import { useInstallation } from "../../api/installation.ts";
import { useGroupName } from "../../app/breadcrumbs.tsx";
import { screenLink, useScreenLocation } from "../../app/location.ts";
import { startTexts } from "../../texts/start.ts";
import { Code } from "../../ui/code.tsx";
import { Loading } from "../../ui/feedback.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page } from "../../ui/page.tsx";
import { ExchangeChart } from "../identities/exchange-chart.tsx";
import { dismiss, type Progress, type StepName, useProgress } from "./checklist.ts";

const words = startTexts.steps;

/** The way from an empty organization to an image that a workload pulls. */
export function Screen() {
  const { uid } = useScreenLocation();
  const progress = useProgress(uid);
  return progress === undefined ? <Loading /> : <Checklist uid={uid} progress={progress} />;
}

export function Checklist({
  uid,
  progress,
}: {
  readonly uid: string;
  readonly progress: Progress;
}) {
  const name = useGroupName(uid);
  const navigate = useNavigate();
  const names = Object.keys(words) as StepName[];
  const done = names.filter((step) => progress[step]).length;
  return (
    <Page
      title={startTexts.title(name)}
      group={uid}
      command={{
        cli: `wharf iam organizations describe ${uid}`,
        rest: `/iam/v2beta1/groups/${uid}`,
      }}
      actions={
        <button
          type="button"
          className="button quiet"
          onClick={() => {
            dismiss(uid);
            navigate({ to: "/organizations" });
          }}
        >
          {startTexts.dismiss}
        </button>
      }
    >
      <p className="lead">{startTexts.lead}</p>
      <div className="progress">
        <progress max={names.length} value={done} aria-label={startTexts.title(name)} />
        <span>{startTexts.progress(done, names.length)}</span>
      </div>
      <ol className="checklist">
        {names.map((step, at) => (
          <Step
            key={step}
            uid={uid}
            step={step}
            isDone={progress[step]}
            // The first step that is left shows what to do.
            isNext={!progress[step] && names.slice(0, at).every((one) => progress[one])}
          />
        ))}
      </ol>
      <ExchangeChart resource={uid} />
    </Page>
  );
}

function Step({
  uid,
  step,
  isDone,
  isNext,
}: {
  readonly uid: string;
  readonly step: StepName;
  readonly isDone: boolean;
  readonly isNext: boolean;
}) {
  const { title, text, action, command } = words[step];
  const { registry } = useInstallation();
  return (
    <li className={isDone ? "step done" : "step"}>
      <span className="mark">
        {isDone && <Icon name="check" />}
        <span className="unseen">{isDone ? startTexts.done : startTexts.open}</span>
      </span>
      <details open={isNext}>
        <summary>
          <h2>{title}</h2>
        </summary>
        <p>{text}</p>
        <div className="actions">
          <Link {...screenLink(SCREENS[step], uid)} className="button">
            {action}
          </Link>
          {step === "signIn" && (
            <Link to="/account" className="button quiet">
              {words.signIn.other}
            </Link>
          )}
        </div>
        <Code text={typeof command === "string" ? command : command(uid, registry)} />
      </details>
    </li>
  );
}

/** The link of each step. */
const SCREENS = {
  organization: "folders",
  signIn: "new-provider",
  push: "repos",
  workload: "new-identity",
  pull: "repos",
} as const;
