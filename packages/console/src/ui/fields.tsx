import { type ReactNode, useId } from "react";

/** Attributes that connect a control to its label and hint. */
interface Connected {
  readonly id: string;
  readonly "aria-describedby"?: string;
}

/** A control with its label, and a hint below it. */
function Field({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: (connected: Connected) => ReactNode;
}) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...(hint !== undefined && { "aria-describedby": hintId }) })}
      {hint !== undefined && (
        <p id={hintId} className="hint">
          {hint}
        </p>
      )}
    </div>
  );
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
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string | undefined;
  readonly isRequired?: boolean;
  /** What applies if nothing is entered. */
  readonly placeholder?: string;
  readonly type?: "text" | "date" | "datetime-local" | "password" | "url";
}) {
  return (
    <Field label={label} hint={hint}>
      {(connected) => (
        <input
          {...connected}
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
}: {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string | undefined;
  readonly rows?: number;
  readonly isRequired?: boolean;
}) {
  return (
    <Field label={label} hint={hint}>
      {(connected) => (
        <textarea
          {...connected}
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
