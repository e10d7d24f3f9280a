import { type ReactNode, useId } from "react";

/** Attributes that connect a control to its label, hint and problem. */
interface Connected {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

/** The problem of a value: the form cannot be sent with it. */
interface Checked {
  readonly problem?: string | undefined;
  /** Whether the problem is shown below the field, before the form is sent. */
  readonly isProblemShown?: boolean;
}

/** A control with its label, and a hint and a problem below it. */
function Field({
  label,
  hint,
  problem,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly problem?: string | undefined;
  readonly children: (connected: Connected) => ReactNode;
}) {
  const id = useId();
  const described = [
    ...(problem === undefined ? [] : [`${id}-problem`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(described.length > 0 && { "aria-describedby": described.join(" ") }),
        ...(problem !== undefined && { "aria-invalid": true }),
      })}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="problem">
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Keeps the browser from sending a form with a problem; on an attempt, it shows the problem at the control. */
function validity(problem = "") {
  return (control: HTMLInputElement | HTMLTextAreaElement | null) => {
    control?.setCustomValidity(problem);
  };
}

/** A text of one line. */
export function TextField({
  name,
  label,
  hint,
  value = "",
  isRequired = false,
  placeholder,
  type = "text",
  problem,
  isProblemShown = false,
}: Checked & {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
  /** What applies if nothing is entered. */
  readonly placeholder?: string;
  readonly type?: "text" | "date" | "datetime-local" | "password" | "url";
}) {
  return (
    <Field label={label} hint={hint} problem={isProblemShown ? problem : undefined}>
      {(connected) => (
        <input
          {...connected}
          ref={validity(problem)}
          name={name}
          defaultValue={value}
          required={isRequired}
          type={type}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </Field>
  );
}

/** A text of several lines. */
export function TextArea({
  name,
  label,
  hint,
  value = "",
  rows = 4,
  isRequired = false,
  problem,
  isProblemShown = false,
}: Checked & {
  readonly name: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value?: string | undefined;
  readonly rows?: number;
  readonly isRequired?: boolean;
}) {
  return (
    <Field label={label} hint={hint} problem={isProblemShown ? problem : undefined}>
      {(connected) => (
        <textarea
          {...connected}
          ref={validity(problem)}
          name={name}
          rows={rows}
          defaultValue={value}
          required={isRequired}
          spellCheck={false}
        />
      )}
    </Field>
  );
}

/** One of few. */
export function SelectField({
  name,
  label,
  options,
  value,
  onChange,
}: {
  readonly name: string;
  readonly label: string;
  /** What can be chosen, by value. */
  readonly options: Readonly<Record<string, string>>;
  readonly value?: string | undefined;
  readonly onChange?: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(connected) => (
        <select
          {...connected}
          name={name}
          defaultValue={value}
          onChange={(event) => onChange?.(event.currentTarget.value)}
        >
          {Object.entries(options).map(([key, text]) => (
            <option key={key} value={key}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Yes or no; the form has `on` for yes. */
export function CheckField({
  name,
  label,
  hint,
  isChecked = false,
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isChecked?: boolean;
}) {
  const id = useId();
  return (
    <div className="check-field">
      <label className="check">
        <input
          type="checkbox"
          name={name}
          defaultChecked={isChecked}
          {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}
        />
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
