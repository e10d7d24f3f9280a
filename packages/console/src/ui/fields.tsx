import { useId } from "react";

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
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        defaultValue={value}
        required={isRequired}
        spellCheck={false}
        {...(hint !== undefined && { "aria-describedby": `${id}-hint` })}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
    </div>
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
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
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
    </div>
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
