import { StepError } from "../step.ts";

export interface FormulaOptions {
  readonly version: string;
  readonly license: string;
  /** The address of the folder with the files. */
  readonly url: string;
  readonly homepage: string;
  /** The lines of SHA256SUMS. */
  readonly sums: string;
}

/** A formula for a tap of Homebrew, which installs a release from an address. */
export function formula({ version, license, url, homepage, sums }: FormulaOptions): string {
  const base = addressOf(url).replace(/\/$/, "");
  const source = (file: string) => {
    const name = `wharf-${version}-${file}`;
    const [digest] =
      sums
        .split("\n")
        .find((line) => line.endsWith(`  ${name}`))
        ?.split(" ") ?? [];
    if (digest === undefined) throw new StepError(`SHA256SUMS has no ${name}`);
    return `      url "${base}/${name}"\n      sha256 "${digest}"`;
  };
  return `class Wharf < Formula
  desc "Control plane for container supply chains: access, registry, advisories"
  homepage "${addressOf(homepage)}"
  version "${version}"
  license "${license}"

  on_macos do
    on_arm do
${source("macos-arm64.tar.gz")}
    end
    on_intel do
${source("macos-x64.tar.gz")}
    end
  end

  on_linux do
    on_arm do
${source("linux-arm64")}
    end
    on_intel do
${source("linux-x64")}
    end
  end

  def install
    helpers = ["docker-credential-wharf", "wharf-credential-provider"]
    if OS.mac?
      man1.install Dir["lib/man/*.1"]
      libexec.install Dir["*"]
      bin.install_symlink ["wharf", *helpers].map { |name| libexec/name }
    else
      bin.install Dir["wharf-*"].first => "wharf"
      helpers.each { |name| bin.install_symlink "wharf" => name }
    end
    generate_completions_from_executable(bin/"wharf", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/wharf version")
  end
end
`;
}

/** An address in the form that Ruby's quotes leave alone. */
function addressOf(text: string): string {
  const url = URL.parse(text);
  if (!/^https?:$/.test(url?.protocol ?? "") || url?.hash || url?.search) {
    throw new StepError(`expected the address of a folder, got ${JSON.stringify(text)}`);
  }
  return (url as URL).href;
}
